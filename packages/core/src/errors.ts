import { addClientText, clientTexts } from './errors/for-client.js'
import { limiterMessages } from './errors/limiter.js'
import { optionMessages } from './errors/options.js'
import type { requestMessages } from './errors/requests.js'
import { storeMessages } from './errors/stores.js'
import { withProcess } from './runtime.js'

type Messages = typeof optionMessages & typeof limiterMessages & typeof storeMessages

/** The stable identifier of an error. */
export type ErrorCode =
  | keyof (Messages & typeof requestMessages)
  // `@sluice/nestjs` has the messages of these.
  | 'SLUICE_REQUEST_MISSING'
  | 'SLUICE_METHOD_UNSEEN'

/**
 * Every error and warning of Sluice, one code each. A message names the value that was passed, says why it is wrong, and what to pass instead, so that
 * most readers need no other page.
 */
const catalogue: Messages = { ...optionMessages, ...limiterMessages, ...storeMessages }

const sluiceErrorBrand = Symbol.for('@sluice/core:SluiceError')

/**
 * A mistake in the program, or a store that failed. A denial is a value and not an error, except for a `limited` function, which has no other way
 * to report it.
 */
export class SluiceError extends Error {
  override readonly name = 'SluiceError'
  /** The code of the error. It is stable across releases; the message is not. */
  readonly code: ErrorCode
  /**
   * 400 if the request is wrong and not the application: it has no key, or an invalid one. Absent from all other errors. Express, Koa, Fastify and
   * NestJS respond with this status unless an error handler of the application decides otherwise.
   */
  declare readonly status?: 400
  /** The same as `status`, for frameworks that read this name. */
  declare readonly statusCode?: 400
  /**
   * True beside `status`: Koa then responds with the message, and does not log it. In `rateLimit`, that message is a short text for the client, and the
   * `stack` begins with the message for the programmer.
   */
  declare readonly expose?: true

  constructor(code: ErrorCode, message: string, options?: { cause: unknown }) {
    super(message, options)
    this.code = code
    brand(this, sluiceErrorBrand)
    if (!Object.hasOwn(causedByRequest, code)) return
    this.status = 400
    this.statusCode = 400
    this.expose = true
  }

  /** True for the errors of every copy of this package that the application contains. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    if (this !== SluiceError) return Function.prototype[Symbol.hasInstance].call(this, value)
    return isBranded(value, sluiceErrorBrand)
  }
}

/** The errors that a request causes, and not the application, with the text for the client. */
const causedByRequest: { readonly [C in ErrorCode]?: Text } = clientTexts

/** A text with details. The functions below require those of its code. */
type Text = (...details: never) => string

function written(text: Text, details: readonly unknown[]): string {
  return String(Reflect.apply(text, undefined, details))
}

/** Makes the error of a code. */
export function sluiceError<C extends keyof Messages>(
  code: C,
  ...details: Parameters<Messages[C]>
): SluiceError {
  return errorOf(code, catalogue[code], details)
}

/** Makes the error of a code. `details`: those of the message, and of the text for the client. */
export function errorOf(code: ErrorCode, message: Text, details: readonly unknown[]): SluiceError {
  const error = new SluiceError(code, written(message, details))
  const text = causedByRequest[code]
  if (text !== undefined) addClientText(error, written(text, details))
  return error
}

/** Makes the error of a code, with its cause. */
export function sluiceErrorFrom<C extends keyof Messages>(
  cause: unknown,
  code: C,
  ...details: Parameters<Messages[C]>
): SluiceError {
  return new SluiceError(code, messageOf(code, ...details), { cause })
}

/** The message of a code. */
export function messageOf<C extends keyof Messages>(
  code: C,
  ...details: Parameters<Messages[C]>
): string {
  return written(catalogue[code], details)
}

/** Marks an object for every copy of this package. By default, `instanceof` does not know the class of another copy. */
export function brand(object: object, brand: symbol): void {
  Object.defineProperty(object, brand, { value: true })
}

export function isBranded(value: unknown, brand: symbol): boolean {
  return typeof value === 'object' && value !== null && brand in value
}

const reported = new Set<string>()

/**
 * Warns about a likely mistake with `process.emitWarning`, once per code and process. `node --disable-warning=<code>` silences the warning. A
 * runtime without that function shows it on the console.
 */
export function warn(mistake: SluiceError): void {
  if (reported.has(mistake.code)) return
  reported.add(mistake.code)
  emitWarning(mistake)
}

/** Reports a warning with `process.emitWarning`, or on the console if the runtime has no such function. */
export function emitWarning(warning: Error): void {
  // Not imported, because core also runs in browsers, and because an import of `node:process` opens the standard streams.
  const emit = withProcess((process) => process.emitWarning?.bind(process))
  // oxlint-disable-next-line no-console -- such a runtime has no other place for a warning
  if (emit === undefined) console.warn(warning)
  else emit(warning)
}
