import type { Awaitable, RequestView, Rules } from '@sluice/core/http'
import {
  checked,
  checkedIfGiven,
  isFunction,
  isRecord,
  isText,
  optional,
  readOptions,
} from '@sluice/core/internal'
import type { Explanation } from '../compile/explain.js'
import { parseRules } from '../compile/parse.js'
import { compileRules, type RuleSet } from '../compile/rule-set.js'
import type { RuleStats } from '../compile/stats.js'
import { requestRules } from '../decide/request-rules.js'
import type { RulesDocument } from '../document/document.js'
import { RequestFacts, type ValueFunctions } from './facts-of-request.js'
import { createKeeper } from './keep.js'
import { factsOf, type RuleContext } from './limiter/context.js'
import { createRuleLoader, type RulesState } from './rule-loader.js'
import type { RuleSource } from './sources/rule-source.js'
import { textOf } from './sources/static-source.js'
import { checkFunctions } from './value-functions.js'

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

/** Rules that follow their source. `rateLimit({ rules })` and `createRuleLimiter({ rules })` take them. */
export interface LoadedRules<R> extends Rules<R> {
  /** The current rules. One object belongs to one version of the document. */
  readonly current: RuleSet
  /** Finds the rules that apply to a request. */
  judge(request: R, view: RequestView<R>): ReturnType<RuleSet['judge']>
  /** The version of the rules, its origin, and the error if it is not the version of the source. */
  state(): RulesState
  /** The counters of each rule by its id, since the rule was first loaded. The counters of a removed rule are dropped. */
  stats(): ReadonlyMap<string, RuleStats>
  /** Explains how the rules decide a request, rule by rule. Counts nothing. */
  explain(context: RuleContext): Awaitable<Explanation>
  /**
   * Reads the source now, and resolves when its rules are in use. Rejects and keeps the current rules if the source cannot be read or its document is
   * invalid.
   */
  reload(): Promise<void>
  /** Replaces the rules by this document until the source changes. Rejects and keeps the current rules if the document is invalid. */
  replace(document: RulesDocument | string): Promise<void>
  /** Stops following the source. The current rules still decide requests. */
  close(): void
}

const readers = {
  source: checked('a source, such as fileSource("rules.yaml")', isSource),
  values: checkedIfGiven('an object with a function for each value', areFunctions),
  keep: checkedIfGiven('the path of a file', isText),
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
  // Own properties only: a value may be called `constructor`.
  const functions = new Map(Object.entries(values ?? {}))
  const loader = await createRuleLoader(
    source,
    async (text, stats) => {
      const parsed = parseRules(text)
      if (values !== undefined) checkFunctions(parsed, [...functions.keys()])
      return compileRules(parsed, { stats })
    },
    keep === undefined ? undefined : createKeeper(keep),
  )
  const judge = (_request: R, view: RequestView<R>): ReturnType<RuleSet['judge']> =>
    loader.current.judge(new RequestFacts(view, functions), clock())

  return {
    get current() {
      return loader.current
    },
    ...requestRules<R>(loader.current.name, judge),
    judge,
    state: loader.state,
    stats: () => loader.current.stats,
    explain(context) {
      const set = loader.current
      return set.explain(factsOf(context, set.document), clock())
    },
    reload: loader.reload,
    replace: async (document) => loader.replace({ ...textOf(document), files: new Map() }),
    close: loader.close,
  }
}

function isSource(value: unknown): value is RuleSource {
  return isRecord(value) && isFunction(value['read']) && typeof value['every'] === 'number'
}

function areFunctions(value: unknown): boolean {
  return isRecord(value) && Object.values(value).every(isFunction)
}
