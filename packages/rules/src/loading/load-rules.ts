import { checked, checkedIfGiven, optional, readOptions } from '@sluice/core/internal'
import { compileRules } from '../compile/compile-rules.js'
import { parseRules } from '../compile/parse.js'
import type { ValueFunctions } from './facts-of-request.js'
import { createLoadedRules, type LoadedRules } from './loaded-rules.js'
import { checkFunctions } from './value-functions.js'
import type { RuleSource } from './sources/rule-source.js'

/** Options of `loadRules`. */
export interface LoadRulesOptions<R> {
  /** The source of the document: `fileSource`, `pollSource`, `staticSource`, or your own. */
  readonly source: RuleSource
  /**
   * A function of the request for each value that the document declares. With this option, a document that requires a value without a function is
   * invalid. `createRuleLimiter` reads the values from its contexts and needs no functions.
   */
  readonly values?: ValueFunctions<R> | undefined
  /** The path of a file for the last valid document, relative to the working directory. If the source cannot be read when the application starts, this document is used until it can. */
  readonly keep?: string | undefined
  /**
   * Returns milliseconds since the epoch, for schedules: for tests.
   *
   * @default Date.now
   */
  readonly clock?: (() => number) | undefined
}

const readers = {
  source: checked('a source, such as fileSource("rules.yaml")', isSource),
  values: checkedIfGiven('an object with a function for each value', areFunctions),
  keep: checkedIfGiven('the path of a file', isPath),
  clock: optional(
    checked('a function that returns milliseconds since the epoch', isFunction),
    Date.now,
  ),
}

/**
 * Loads rules, and follows their source. `R` is the framework's request, which the functions of `values` take.
 *
 * @example
 * import { rateLimit } from '@sluice/express'
 * import { fileSource, loadRules } from '@sluice/rules'
 * import express, { type Request } from 'express'
 *
 * const rules = await loadRules<Request>({
 *   source: fileSource('rules.yaml'),
 *   values: { user: (req) => req.get('X-User'), plan: () => 'free' },
 * })
 * const app = express()
 * app.use(rateLimit({ rules }))
 * @throws RulesError if the first document cannot be read or is invalid; SluiceError if an option is missing, unknown or invalid
 */
export async function loadRules<R = unknown>(
  options: LoadRulesOptions<R>,
): Promise<LoadedRules<R>> {
  readOptions('loadRules', options, readers)
  const { source, values, keep, clock = Date.now } = options
  return createLoadedRules({
    source,
    values: values ?? {},
    keep,
    clock,
    async compile(text, stats) {
      const functions = values === undefined ? undefined : Object.keys(values)
      const parsed = parseRules(text)
      if (functions !== undefined) checkFunctions(parsed, functions)
      return compileRules(parsed, stats === undefined ? {} : { stats })
    },
  })
}

function isSource(value: unknown): value is RuleSource {
  return isRecord(value) && isFunction(value['read']) && typeof value['every'] === 'number'
}

function areFunctions(value: unknown): boolean {
  return isRecord(value) && Object.values(value).every(isFunction)
}

function isPath(value: unknown): boolean {
  return typeof value === 'string' && value !== ''
}

function isFunction(value: unknown): value is () => number {
  return typeof value === 'function'
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
