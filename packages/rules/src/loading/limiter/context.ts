import { byName, isRecord, nearestWord } from '@sluice/core/internal'
import type { RulesDocument } from '../../document/document.js'
import type { Facts } from '../../facts.js'
import { rulesError } from '../../errors.js'

/**
 * The facts that rules read without an HTTP request: the fields below, and the values that the document declares, by their names. A declared value may be
 * a promise.
 *
 * @example
 * const context: RuleContext = { ip: '203.0.113.9', user: '42', plan: 'free' }
 */
export interface RuleContext {
  readonly method?: string | undefined
  /** The path and the query. */
  readonly url?: string | undefined
  /** The same as `url`. */
  readonly path?: string | undefined
  readonly route?: string | undefined
  readonly host?: string | undefined
  readonly ip?: string | undefined
  readonly headers?: Readonly<Record<string, string | undefined>> | undefined
  readonly cookies?: Readonly<Record<string, string | undefined>> | undefined
  readonly [value: string]: unknown
}

const fieldNames = new Set(['method', 'url', 'path', 'route', 'host', 'ip', 'headers', 'cookies'])

/**
 * Reads a context as the facts of one judgement.
 *
 * @throws RulesError SLUICE_RULES_CONTEXT_INVALID; SLUICE_RULES_VALUE_UNKNOWN if a name looks like a misspelled value
 */
export function factsOf(context: RuleContext, document: RulesDocument): Facts {
  if (!isRecord(context)) throw rulesError('SLUICE_RULES_CONTEXT_INVALID', context)
  assertSpelling(context, document)
  let headers: ReturnType<typeof headersOf> | undefined
  return {
    method: context.method,
    url: context.url ?? context.path,
    route: context.route,
    host: context.host,
    ip: context.ip,
    header: (name) => (headers ??= headersOf(context)).get(name)?.[0],
    cookie: (name) => own(context.cookies, name),
    value: (name) => own(context, name),
  }
}

/**
 * A name that no document declares can be a value of a later document, so by itself it is not a mistake. But if it resembles a declared value that the
 * context lacks, the rules of that value would not apply to anything.
 */
function assertSpelling(context: RuleContext, { values = {} }: RulesDocument): void {
  for (const name of Object.keys(context)) {
    if (Object.hasOwn(values, name) || fieldNames.has(name)) continue
    const missing = Object.keys(values).filter((value) => own(context, value) === undefined)
    const meant = nearestWord(name, missing)
    if (meant !== undefined) throw rulesError('SLUICE_RULES_VALUE_UNKNOWN', name, meant)
  }
}

/** The headers by their names, which are equal in any case. */
function headersOf({ headers }: RuleContext): ReadonlyMap<string, readonly (string | undefined)[]> {
  return byName(Object.entries(headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]))
}

/** Every object inherits names such as `constructor`: only its own names count. */
function own<T>(record: Readonly<Record<string, T>> | undefined, name: string): T | undefined {
  return record !== undefined && Object.hasOwn(record, name) ? record[name] : undefined
}
