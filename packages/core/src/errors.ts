/**
 * Every error that Sluice raises on purpose, one code each. A message names what was passed, says why it cannot be right,
 * and what to pass instead: it is often the only page of the manual that is read.
 */
const messages = {
  SLUICE_OPTION_UNKNOWN: (where: string, option: string, known: readonly string[]): string =>
    `${where}: there is no option "${option}". It takes ${list(known)}.`,

  SLUICE_OPTION_RENAMED: (where: string, option: string, name: string, hint: string): string =>
    `${where}: "${option}" is called "${name}" here: ${hint}.`,

  SLUICE_OPTION_MISSING: (where: string, option: string, expected: string): string =>
    `${where}: "${option}" is missing. Pass ${expected}.`,

  SLUICE_OPTION_INVALID: (
    where: string,
    option: string,
    value: unknown,
    expected: string,
  ): string => `${where}: "${option}" is ${show(value)}. Pass ${expected}.`,

  SLUICE_OPTIONS_INVALID: (where: string, value: unknown, expected: string): string =>
    `${where}: the options are ${show(value)}. Pass ${expected}.`,

  SLUICE_OPTIONS_CONFLICT: (where: string, first: string, second: string, advice: string): string =>
    `${where}: "${first}" and "${second}" exclude each other. ${advice}.`,

  SLUICE_NUMBERS_TOO_LARGE: (where: string, product: string): string =>
    `${where}: ${product} is 2^53 or more, past what a number can count exactly. Pass a smaller limit or a shorter window.`,

  SLUICE_POLICY_UNKNOWN: (where: string, value: unknown, kinds: readonly string[]): string =>
    `${where}: ${show(value)} is not a policy. Make one with ${list(kinds)}, or pass an object whose "kind" is one of these.`,

  SLUICE_POLICY_NAME_UNKNOWN: (limiter: string, name: string, known: readonly string[]): string =>
    `limiter "${limiter}": the keys name a policy "${name}", but its policies are ${list(known)}.`,

  SLUICE_KEY_INVALID: (limiter: string, value: unknown): string =>
    `limiter "${limiter}": the key is ${show(value)}. Pass a non-empty string, a list of such parts, or a record from ` +
    `policy name to key. A key that is missing would put all callers in one bucket, so it is refused; ` +
    `null in such a record leaves that policy out.`,

  SLUICE_KEY_MISSING: (limiter: string, name: string): string =>
    `limiter "${limiter}": there is no key for the policy "${name}". Pass one, or null to leave that policy out.`,

  SLUICE_COST_INVALID: (limiter: string, value: unknown): string =>
    `limiter "${limiter}": the cost is ${show(value)}. Pass a whole number from 0 to 2^53 - 1.`,

  SLUICE_DECISION_FOREIGN: (limiter: string, other: string): string =>
    `limiter "${limiter}": this decision was made by the limiter "${other}". Only that one can give it back.`,

  SLUICE_CLOCK_INVALID: (value: unknown): string =>
    `the clock answered ${show(value)}. It must return milliseconds since the epoch, 0 or more.`,

  SLUICE_ADDRESS_MISSING: (value: unknown): string =>
    `byIp: the request's address is ${show(value)}. Where a proxy or a unix socket stands in front, tell the framework ` +
    `to trust it (Express: app.set('trust proxy', 1)), or pass a "key" of your own. ` +
    `One shared bucket for all such requests would let one client shut out the others.`,

  SLUICE_STORE_FAILED: (store: string, reason: string): string =>
    `the ${store} store failed: ${reason}`,

  SLUICE_STORE_TIMEOUT: (store: string, timeoutMs: number): string =>
    `the ${store} store did not answer within ${timeoutMs} ms. What arrives there later is void and takes nothing.`,

  SLUICE_STORE_CLOSED: (store: string): string =>
    `the ${store} store was closed and takes no more requests.`,
}

/** The stable identifier of an error. */
export type ErrorCode = keyof typeof messages

type Details = { [C in ErrorCode]: Parameters<(typeof messages)[C]> }

const catalogue: { [C in ErrorCode]: (...details: Details[C]) => string } = messages

/** A mistake in the program, or a store that failed. A denial is never an error. */
export class SluiceError extends Error {
  override readonly name = 'SluiceError'
  /** Stable across releases; the message is not. */
  readonly code: ErrorCode

  constructor(code: ErrorCode, message: string, options?: { cause: unknown }) {
    super(message, options)
    this.code = code
  }
}

/** Makes the error of the catalogue that has this code. */
export function sluiceError<C extends ErrorCode>(code: C, ...details: Details[C]): SluiceError {
  return new SluiceError(code, catalogue[code](...details))
}

/** As `sluiceError`, keeping what caused it. */
export function sluiceErrorFrom<C extends ErrorCode>(
  cause: unknown,
  code: C,
  ...details: Details[C]
): SluiceError {
  return new SluiceError(code, catalogue[code](...details), { cause })
}

export const errorCodes: readonly ErrorCode[] = Object.keys(catalogue) as ErrorCode[]

function list(words: readonly string[]): string {
  return words.map((word) => `"${word}"`).join(', ')
}

function show(value: unknown): string {
  if (typeof value === 'string') return `the string ${JSON.stringify(value.slice(0, 80))}`
  if (typeof value === 'function') return 'a function'
  if (typeof value === 'bigint') return `${value}n`
  if (typeof value === 'object' && value !== null) {
    return Array.isArray(value) ? 'a list' : `an object with the keys ${list(Object.keys(value))}`
  }
  return String(value)
}
