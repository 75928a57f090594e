import { sluiceError, warn } from '../errors.js'
import { didYouMean } from '../errors/did-you-mean.js'
import { durationAdvice, longestMs, millisecondsOf } from './durations.js'
import { isCount, isRecord } from './predicates.js'
import { unknownOptions } from './unknown-option.js'

export { longestMs } from './durations.js'
export type { Duration, DurationLiteral } from './durations.js'

/** Reads one option: returns its value in normal form, or undefined if the value is not `expected`. */
export interface OptionReader<T> {
  readonly expected: string
  readonly read: (value: unknown) => T | undefined
  /** The value of an absent option. An option without a default is required. */
  readonly default?: T
  /** Advice to add to the error about a value. */
  readonly advice?: (value: unknown) => string | undefined
  /** Whether a bare number below 1000 causes a warning: other libraries take such a length of time in seconds. */
  readonly warnsBelowSecond?: boolean
}

export type OptionReaders = Readonly<Record<string, OptionReader<unknown>>>

export type OptionValues<R extends OptionReaders> = {
  readonly [K in keyof R]: R[K] extends OptionReader<infer T> ? T : never
}

/** A number of units. 0 denies everything. */
export const quota: OptionReader<number> = checked('a whole number, 0 or more, below 2^53', isCount)

/** A quota that may be absent. */
export const optionalQuota: OptionReader<number | undefined> = { ...quota, default: undefined }

/** A number that divides time, so that it cannot be 0. */
export const positiveCount: OptionReader<number> = checked(
  'a whole number, 1 or more, below 2^53',
  (value): value is number => isCount(value) && value > 0,
)

/** A part of a whole. */
export const partOfOne: OptionReader<number> = checked(
  'a number above 0, up to 1',
  (value): value is number => typeof value === 'number' && value > 0 && value <= 1,
)

/** A factor of growth. */
export const factor: OptionReader<number> = checked(
  'a number from 1 to 1000',
  (value): value is number => typeof value === 'number' && value >= 1 && value <= 1000,
)

/** A duration in milliseconds. */
function durationBetween(least: number, most: number, expected: string): OptionReader<number> {
  return {
    expected,
    read(value) {
      const length = millisecondsOf(value) ?? -1
      return length >= least && length <= most ? length : undefined
    },
    advice: durationAdvice,
  }
}

/** A duration such as a timeout. */
export const shortDuration: OptionReader<number> = durationBetween(
  1,
  longestMs,
  `whole milliseconds from 1 to ten years, or a string such as '250ms', '10s', '5m', '1h', '1d', '1w', '1y'`,
)

/** The timeout of a store. A longer one would overflow a timer, which would then fire at once. */
export const storeTimeout: OptionReader<number> = durationBetween(
  1,
  24 * 86_400_000,
  `whole milliseconds from 1 to 24 days, or a string such as '250ms', '10s', '5m'`,
)

/** A window, a lease, a block: as `shortDuration`, but a number below 1000 causes a warning, because seconds were probably meant. */
export const duration: OptionReader<number> = { ...shortDuration, warnsBelowSecond: true }

/** A duration that may be 0. */
export const durationOrZero: OptionReader<number> = durationBetween(
  0,
  longestMs,
  `whole milliseconds from 0 to ten years, or a string such as '0ms', '8h'`,
)

/** The option `wait` of a request or a limited function. */
export const waitOption: OptionReader<unknown> = checkedIfGiven(
  `an object such as { max: '5s' }`,
  isRecordOf('wait', { max: shortDuration }),
)

/** One of a few words. */
export function oneOf<const W extends string>(...words: readonly W[]): OptionReader<W> {
  return {
    expected: words.map((word) => `'${word}'`).join(' or '),
    read: (value) => words.find((word) => word === value),
    advice: (value) => didYouMean(value, words),
  }
}

/** An option that is checked and not changed. */
export function checked<T>(
  expected: string,
  holds: (value: unknown) => value is T,
): OptionReader<T> {
  return { expected, read: (value) => (holds(value) ? value : undefined) }
}

/** An option that is checked and not changed, and that may be absent. */
export function checkedIfGiven(
  expected: string,
  holds: (value: unknown) => boolean,
  advice: (value: unknown) => string | undefined = () => undefined,
): OptionReader<unknown> {
  const read = (value: unknown): unknown => (holds(value) ? value : undefined)
  return { expected, read, default: undefined, advice }
}

/** Makes the check of an option that has options itself. It throws the errors of `readOptions` for a record that is wrong. */
export function isRecordOf(where: string, readers: OptionReaders): (value: unknown) => boolean {
  return (value) => isRecord(value) && readOptions(where, value, readers) !== undefined
}

/** An option that is checked where it is used. */
export const anything: OptionReader<unknown> = checkedIfGiven('', () => true)

/** The option `signal`. */
export const signalOption: OptionReader<AbortSignal | undefined> = optional(
  checked('an AbortSignal', (value) => value instanceof AbortSignal),
  undefined,
)

/** The same option with a default. */
export function optional<T>(reader: OptionReader<T>, absent: T): OptionReader<T> {
  return { ...reader, default: absent }
}

/**
 * Reads the options of a function. An invalid option is an error with a code, and is never replaced by a default.
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
  const given = knownOptions(where, options, known)
  const values: Record<string, unknown> = {}
  for (const name of known) {
    const reader = readers[name]
    const value = given[name]
    if (value !== undefined) {
      values[name] = readOption(where, name, value, reader)
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

/** Marks a policy that a builder has made, for functions that read it as options: its numbers are milliseconds, and cause no warning. */
export function markBuilt(options: unknown): void {
  if (typeof options === 'object' && options !== null) builtOptions.add(options)
}

/** Warns of a bare number below 1000 as a duration: seconds were probably meant. */
export function warnOfShort(where: string, option: string, value: unknown): void {
  if (typeof value === 'number' && value < 1000) {
    warn(sluiceError('SLUICE_DURATION_SHORT', where, option, value))
  }
}

/** @throws SluiceError SLUICE_OPTION_INVALID if the value is not the expected one */
export function readOption<T>(
  where: string,
  name: string,
  value: unknown,
  reader: OptionReader<T>,
): T {
  const read = reader.read(value)
  if (read !== undefined) return read
  const advice = reader.advice?.(value)
  throw sluiceError('SLUICE_OPTION_INVALID', where, name, value, reader.expected, advice)
}

/**
 * The options as a record. Refuses every unknown option, and suggests the name in Sluice for an option of another library.
 *
 * @throws SluiceError SLUICE_OPTIONS_INVALID, SLUICE_OPTION_UNKNOWN, SLUICE_OPTION_RENAMED, SLUICE_OPTION_MISPLACED
 */
export function knownOptions(
  where: string,
  options: unknown,
  known: readonly string[],
): Readonly<Record<string, unknown>> {
  if (!isRecord(options)) {
    const expected = `an object: { ${known.join(', ')} }`
    throw sluiceError('SLUICE_OPTIONS_INVALID', where, options, expected)
  }
  for (const option of Object.keys(options)) {
    if (known.includes(option)) continue
    const unknown = Object.keys(options).filter((one) => !known.includes(one))
    throw unknownOptions(where, unknown, known)
  }
  return options
}

/** Refuses numbers whose product a number cannot hold exactly. */
export function assertExact(where: string, formula: string, product: number): void {
  if (product >= 2 ** 53) throw sluiceError('SLUICE_NUMBERS_TOO_LARGE', where, formula)
}

// The forms of a function's options are a union of intersections: the options, those that a form requires, and those that it excludes. An editor shows the
// documentation of an option only if the option is one declared symbol in all forms. So the options are a type literal: a generic interface has other symbols
// in each intersection, and TypeScript 7.0 shows nothing for a mapped type. The two types below must declare nothing, so they are mapped types.

/** Requires some options. */
export type Requiring<K extends string> = { readonly [N in K]: {} }

/** Excludes some options. */
export type Excluding<K extends string> = { readonly [N in K]?: undefined }
