import { addClientText } from '@sluice/core/internal'
import { documentMessages, type Mistake } from './errors/document.js'
import { clientTexts, requestMessages } from './errors/requests.js'
import { quoted, show, quotedList } from './errors/quoting.js'

/** Errors and warnings of loading, besides those of a source. */
const loadingMessages = {
  SLUICE_RULES_COMPILE_FAILED: (problem: string): string =>
    `the document cannot be compiled: ${problem}`,

  SLUICE_RULES_KEEP_FAILED: (path: string, problem: string): string =>
    `the last good rules cannot be kept in ${path}: ${problem}. The current rules still apply.`,

  SLUICE_RULES_STALE: (name: string, problem: string): string =>
    `rules ${quoted(name)}: the last valid document still applies, because the source delivers no valid one: ${problem}`,

  SLUICE_RULES_FUNCTION_MISSING: (name: string, optionalForm: string): string =>
    `the document requires the value ${quoted(name)}, but "values" of loadRules has no function for it. Add one, or declare the value as ${optionalForm}.`,

  SLUICE_RULES_FUNCTION_UNKNOWN: (name: string, meant: string | undefined): string =>
    meant === undefined
      ? `"values" of loadRules has a function for ${quoted(name)}, which the document does not declare.`
      : `"values" of loadRules has a function for ${quoted(name)}, which the document does not declare, and none for ${quoted(meant)}. Did you mean ${quoted(meant)}?`,

  SLUICE_RULES_CONTEXT_INVALID: (context: unknown): string =>
    `the context is ${show(context)}. Pass an object, such as { ip: '203.0.113.9', user: '42' }.`,

  SLUICE_RULES_VALUE_UNKNOWN: (name: string, meant: string): string =>
    `the document declares no value ${quoted(name)}, and the context has no ${quoted(meant)}. Did you mean ${quoted(meant)}?`,
}

/** Warnings about valid documents with a probable mistake. */
const warningMessages = {
  SLUICE_RULES_NO_FLOOR: (rule: string, absent: readonly string[]): string =>
    `rule ${quoted(rule)} does not apply to requests without ${quotedList(absent)}, and no other rule limits them. Add a rule with "key: ip", or write "key: { first: [${absent[0]}, ip] }".`,

  SLUICE_RULES_KEY_UNBOUNDED: (rule: string, field: string): string =>
    `rule ${quoted(rule)}: with ${quoted(field)} in the key, each ${field} has its own count, and clients choose the ${field}. Use a parameter such as "param.id", or "route", which is absent before the router of Express or Koa.`,

  SLUICE_RULES_ALLOW_PATH: (rule: string): string =>
    `rule ${quoted(rule)} exempts every path that fits a pattern, also paths that are added later. It matches the path as the client sent it: a path with other letter case, "//" or "%61" is not exempt.`,

  SLUICE_RULES_DURATION_SHORT: (value: number): string =>
    `${value} means ${value} milliseconds. For seconds, write ${value}s. For milliseconds, write ${value}ms.`,
}

type Messages = typeof documentMessages &
  typeof loadingMessages &
  typeof requestMessages &
  typeof warningMessages

/** The stable identifier of an error or a warning. */
export type RulesErrorCode = keyof Messages

export type RulesErrorDetails<C extends RulesErrorCode> = Parameters<Messages[C]>

/** Every error and warning of rules. A message names the mistake, the reason why it is one, and the correction. */
const catalogue: { [C in RulesErrorCode]: (...details: RulesErrorDetails<C>) => string } = {
  ...documentMessages,
  ...loadingMessages,
  ...requestMessages,
  ...warningMessages,
}

export const rulesErrorCodes: readonly string[] = Object.keys(catalogue)

/** One mistake in a document, and its place. */
export interface Finding extends Mistake {
  readonly code: RulesErrorCode
}

const rulesErrorBrand = Symbol.for('@sluice/rules:RulesError')

/** A mistake in a document, a source that failed, or a value of a request that rules cannot use. */
export class RulesError extends Error {
  override readonly name = 'RulesError'
  /** Stable across releases; the message is not. */
  readonly code: RulesErrorCode
  /** All mistakes of the document, for SLUICE_RULES_INVALID. */
  readonly findings?: readonly Finding[]
  /**
   * 400 if the request caused the error: it lacks a value that a rule needs, or has one of the wrong type. Absent from all other errors. Express, Koa,
   * Fastify and NestJS respond with this status unless an error handler of the application decides otherwise.
   */
  declare readonly status?: 400
  /** The same as `status`, for frameworks that read this name. */
  declare readonly statusCode?: 400
  /**
   * True beside `status`: Koa then responds with the message, and does not log it. In `rateLimit`, that message is a short text for the client, and the
   * `stack` begins with the message for the programmer.
   */
  declare readonly expose?: true

  constructor(
    code: RulesErrorCode,
    message: string,
    options: {
      readonly cause?: unknown
      readonly findings?: readonly Finding[]
      /** Whether the request caused the error, and not the application. */
      readonly byRequest?: boolean
    } = {},
  ) {
    super(message, 'cause' in options ? { cause: options.cause } : undefined)
    this.code = code
    if (options.findings !== undefined) this.findings = options.findings
    if (options.byRequest !== true && !causedByRequest.has(code)) return
    this.status = 400
    this.statusCode = 400
    this.expose = true
  }

  static {
    Object.defineProperty(this.prototype, rulesErrorBrand, { value: true })
  }

  /** True for the errors of every copy of this package that the application contains. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    if (this !== RulesError) return Function.prototype[Symbol.hasInstance].call(this, value)
    return typeof value === 'object' && value !== null && rulesErrorBrand in value
  }
}

const causedByRequest: ReadonlySet<RulesErrorCode> = new Set<RulesErrorCode>([
  'SLUICE_RULES_VALUE_MISSING',
  'SLUICE_RULES_VALUE_INVALID',
])

const textsForClient: { [C in RulesErrorCode]?: (...details: RulesErrorDetails<C>) => string } =
  clientTexts

/** Makes the error of a code. */
export function rulesError<C extends RulesErrorCode>(
  code: C,
  ...details: RulesErrorDetails<C>
): RulesError {
  return errorOf(code, details)
}

/** Makes the error of a code that the application or the request can cause, for one that the request caused. */
export function requestError<C extends RulesErrorCode>(
  code: C,
  ...details: RulesErrorDetails<C>
): RulesError {
  return errorOf(code, details, { byRequest: true })
}

/** Makes the error of a code, with its cause. */
export function rulesErrorFrom<C extends RulesErrorCode>(
  cause: unknown,
  code: C,
  ...details: RulesErrorDetails<C>
): RulesError {
  return errorOf(code, details, { cause })
}

function errorOf<C extends RulesErrorCode>(
  code: C,
  details: RulesErrorDetails<C>,
  options?: ConstructorParameters<typeof RulesError>[2],
): RulesError {
  const error = new RulesError(code, rulesMessage(code, ...details), options)
  const textFor: ((...details: RulesErrorDetails<C>) => string) | undefined = textsForClient[code]
  if (error.status === 400 && textFor !== undefined) addClientText(error, textFor(...details))
  return error
}

/** The message of a code. */
export function rulesMessage<C extends RulesErrorCode>(
  code: C,
  ...details: RulesErrorDetails<C>
): string {
  return catalogue[code](...details)
}

/** The error of a document with all of its mistakes. */
export function invalidRules(name: string | undefined, findings: readonly Finding[]): RulesError {
  const message = rulesMessage('SLUICE_RULES_INVALID', name, findings)
  return new RulesError('SLUICE_RULES_INVALID', message, { findings })
}
