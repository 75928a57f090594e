import { documentMessages, type Mistake } from './errors/document.js'
import { loadingMessages } from './errors/loading.js'
import { requestMessages } from './errors/requests.js'
import { warningMessages } from './errors/warnings.js'

type Messages = typeof documentMessages &
  typeof loadingMessages &
  typeof requestMessages &
  typeof warningMessages

/** The stable identifier of an error or a warning. */
export type RulesErrorCode = keyof Messages

export type RulesErrorDetails<C extends RulesErrorCode> = Parameters<Messages[C]>

/** Every error and warning of rules. A message names what was found, says why it cannot be right, and what to write instead. */
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

/** A mistake in a document of rules, a source that failed, or a value of a request that rules cannot use. */
export class RulesError extends Error {
  override readonly name = 'RulesError'
  /** Stable across releases; the message is not. */
  readonly code: RulesErrorCode
  /** All mistakes of the document, for SLUICE_RULES_INVALID. */
  readonly findings?: readonly Finding[]

  constructor(
    code: RulesErrorCode,
    message: string,
    options: { readonly cause?: unknown; readonly findings?: readonly Finding[] } = {},
  ) {
    super(message, 'cause' in options ? { cause: options.cause } : undefined)
    this.code = code
    if (options.findings !== undefined) this.findings = options.findings
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

/** Makes the error of a code. */
export function rulesError<C extends RulesErrorCode>(
  code: C,
  ...details: RulesErrorDetails<C>
): RulesError {
  return new RulesError(code, rulesMessage(code, ...details))
}

/** Makes the error of a code, with its cause. */
export function rulesErrorFrom<C extends RulesErrorCode>(
  cause: unknown,
  code: C,
  ...details: RulesErrorDetails<C>
): RulesError {
  return new RulesError(code, rulesMessage(code, ...details), { cause })
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
