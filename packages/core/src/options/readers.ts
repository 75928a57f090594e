import { durationAdvice, millisecondsOf } from './durations.js'
import { sluiceError } from '../errors.js'
import { isCount, isRecord } from './predicates.js'
import { didYouMean, unknownOption } from './unknown-option.js'
import { tell } from '../warnings.js'

export { longestMs } from './durations.js'
export type { Duration, DurationLiteral } from './durations.js'

/** Reads one option: gives its value in normal form, or undefined where it is not as `expected` says. */
export interface OptionReader<T> {
  readonly expected: string
  readonly read: (value: unknown) => T | undefined
  /** What an absent option means. Without one, the option is required. */
  readonly default?: T
  /** What to say besides of a value that is refused. */
  readonly advice?: (value: unknown) => string | undefined
  /** Whether a bare number below 1000 is warned about: other libraries count such a length of time in seconds. */
  readonly warnsBelowSecond?: boolean
}

export type OptionReaders = Readonly<Record<string, OptionReader<unknown>>>

export type OptionValues<R extends OptionReaders> = {
  readonly [K in keyof R]: R[K] extends OptionReader<infer T> ? T : never
}

/** A quota: how much is allowed. 0 denies everything. */
export const quota: OptionReader<number> = {
  expected: 'a whole number, 0 or more, below 2^53',
  read: (value) => (isCount(value) ? value : undefined),
}

/** A quota that divides time, so that it cannot be 0. */
export const positiveCount: OptionReader<number> = {
  expected: 'a whole number, 1 or more, below 2^53',
  read: (value) => (isCount(value) && value > 0 ? value : undefined),
}

/** A timeout or the like, from 1 ms to ten years, read into milliseconds. */
export const shortDuration: OptionReader<number> = {
  expected: `whole milliseconds from 1 to ten years, or a string such as '250ms', '10s', '5m', '1h', '1d', '1w', '1y'`,
  read: (value) => {
    const length = millisecondsOf(value)
    return length !== undefined && length >= 1 ? length : undefined
  },
  advice: durationAdvice,
}

/** A window, a lease, a block: as `shortDuration`, but a number below 1000 is warned about, since it was probably meant in seconds. */
export const duration: OptionReader<number> = { ...shortDuration, warnsBelowSecond: true }

/** As `duration`, and 0 besides. */
export const durationOrZero: OptionReader<number> = {
  expected: `whole milliseconds from 0 to ten years, or a string such as '0ms', '8h'`,
  read: millisecondsOf,
  advice: durationAdvice,
}

/** The option `wait` of a request or a limited function. */
export const waitOption: OptionReader<unknown> = checkedIfGiven(
  `an object such as { max: '5s' }`,
  (value) => isRecord(value) && readOptions('wait', value, { max: shortDuration }) !== undefined,
)

/** One of a few words. */
export function oneOf<const W extends string>(...words: readonly W[]): OptionReader<W> {
  return {
    expected: words.map((word) => `'${word}'`).join(' or '),
    read: (value) => words.find((word) => word === value),
    advice: (value) => didYouMean(value, words),
  }
}

/** A factor by which something grows. */
export const factor: OptionReader<number> = {
  expected: 'a number from 1 to 1000',
  read: (value) => (typeof value === 'number' && value >= 1 && value <= 1000 ? value : undefined),
}

/** An option that is taken as it is, where it is of the right kind. */
export function checked<T>(
  expected: string,
  holds: (value: unknown) => value is T,
): OptionReader<T> {
  return { expected, read: (value) => (holds(value) ? value : undefined) }
}

/** An option that may be absent, and that is taken as it is. */
export function checkedIfGiven(
  expected: string,
  holds: (value: unknown) => boolean,
): OptionReader<unknown> {
  return { expected, read: (value) => (holds(value) ? value : undefined), default: undefined }
}

/** The same option, and what its absence means. */
export function optional<T>(reader: OptionReader<T>, absent: T): OptionReader<T> {
  return { ...reader, default: absent }
}

/**
 * Reads a builder's options; what is wrong is refused with a coded error, never replaced by a default.
 *
 * @throws SluiceError SLUICE_OPTIONS_INVALID, SLUICE_OPTION_UNKNOWN, SLUICE_OPTION_RENAMED, SLUICE_OPTION_MISPLACED,
 * SLUICE_OPTION_MISSING, SLUICE_OPTION_INVALID
 */
export function readOptions<R extends OptionReaders>(
  where: string,
  options: unknown,
  readers: R,
): OptionValues<R> {
  const known = Object.keys(readers)
  const given = optionsObject(where, options, known)
  rejectUnknown(where, given, known)
  const values: Record<string, unknown> = {}
  for (const name of known) {
    const reader = readers[name]
    const value = given[name]
    if (value !== undefined) {
      values[name] = reader.read(value)
      if (values[name] === undefined) {
        const advice = reader.advice?.(value)
        throw sluiceError('SLUICE_OPTION_INVALID', where, name, value, reader.expected, advice)
      }
      if (reader.warnsBelowSecond === true && !builtOptions.has(given)) {
        warnOfShort(where, name, value)
      }
    } else if ('default' in reader) {
      values[name] = reader.default
    } else {
      throw sluiceError('SLUICE_OPTION_MISSING', where, name, reader.expected)
    }
  }
  return values as OptionValues<R>
}

const builtOptions = new WeakSet<object>()

/** Marks the options of a policy that a builder has made: its numbers are milliseconds, whatever they were written as. */
export function markBuilt(options: unknown): void {
  if (typeof options === 'object' && options !== null) builtOptions.add(options)
}

/** Warns of a bare number below 1000 where a length of time belongs: it was probably meant in seconds. */
export function warnOfShort(where: string, option: string, value: unknown): void {
  if (typeof value === 'number' && value < 1000) {
    tell(sluiceError('SLUICE_DURATION_SHORT', where, option, value))
  }
}

/** Refuses every option that is not known, and answers another library's word with the one used here. */
export function rejectUnknown(where: string, given: object, known: readonly string[]): void {
  for (const option of Object.keys(given)) {
    if (!known.includes(option)) throw unknownOption(where, option, known)
  }
}

/** The options as an object that can be looked into, or a coded error. */
export function optionsObject(
  where: string,
  options: unknown,
  known: readonly string[],
): Readonly<Record<string, unknown>> {
  if (isRecord(options)) return options
  throw sluiceError('SLUICE_OPTIONS_INVALID', where, options, `an object: { ${known.join(', ')} }`)
}

/** A quota that another one stands in for where it is absent. */
export const optionalQuota: OptionReader<number | undefined> = optional<number | undefined>(
  quota,
  undefined,
)

/** Refuses numbers whose product a double cannot hold exactly. */
export function assertExact(where: string, formula: string, product: number): void {
  if (product >= 2 ** 53) throw sluiceError('SLUICE_NUMBERS_TOO_LARGE', where, formula)
}
