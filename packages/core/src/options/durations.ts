import ms from 'ms'

/** The units of a duration. A week is 7 days and a year 365.25; a month has no fixed length, so it is not a unit. */
export type DurationUnit = ShortUnit | 'w' | 'y' | `${Abbreviation | Word}${'' | 's'}`

type ShortUnit = 'ms' | 's' | 'm' | 'h' | 'd'

type Abbreviation = 'msec' | 'sec' | 'min' | 'hr' | 'yr'
type Word = 'millisecond' | 'second' | 'minute' | 'hour' | 'day' | 'week' | 'year'

/** A number and its unit: '250ms', '10s', '1 minute', '1.5h'. */
export type DurationText = `${number}${DurationUnit}` | `${number} ${DurationUnit}`

/**
 * Whole milliseconds, or a string of a number and its unit: '250ms', '10s', '5m', '1h', '1d', '1w', '1y', '10 s', '1 minute'. A string whose
 * value the compiler does not know is read when the program starts. At most ten years.
 */
export type Duration = number | string

/**
 * The type of a parameter that takes durations. A literal that is not a duration, such as `'60'`, does not compile, and the error shows the short forms:
 * `'60ms'`, `'60s'`. A `string` does, such as that of `{ window: '1m' }` in a variable, and is read when the program starts.
 */
export type DurationLiteral<W> = string extends W
  ? Duration
  : W extends number | DurationText
    ? W
    : W extends `${infer N extends number}`
      ? `${N}${ShortUnit}`
      : `${number}${ShortUnit}`

/** Ten years, the longest duration. */
export const longestMs: number = 10 * 365.25 * 24 * 60 * 60 * 1000

/** A duration in milliseconds. Undefined if the value is not a duration, is not whole, or is longer than ten years. */
export function millisecondsOf(value: unknown): number | undefined {
  const length = typeof value === 'string' ? parse(value) : value
  if (typeof length !== 'number' || !Number.isSafeInteger(length)) return undefined
  return length >= 0 && length <= longestMs ? length : undefined
}

/** Advice about a text that looks like a duration and is not one. */
export function durationAdvice(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined
  if (/^\d{1,15}$/.test(value)) return `A string needs a unit: '${value}s' for seconds`
  if (/^[\d.]+ ?(?:mo|months?|M)$/.test(value)) {
    return `A month has no fixed length: write '30d', or use calendarWindow; a minute is '1m'`
  }
  return undefined
}

function parse(value: string): number | undefined {
  if (!isDurationText(value)) return undefined
  const exact = ms(value)
  const whole = Math.round(exact)
  // 2.01 × 1000 is 2009.9999999999998, and 1.1 years are off by 8e-6.
  return Math.abs(exact - whole) <= Math.max(1e-6, exact * 1e-15) ? whole : exact
}

// `ms` would also take negative numbers, numbers without a unit, and capitals, although '1M' may mean a month.
const durationText =
  /^\d+(?:\.\d+)? ?(?:ms|msecs?|milliseconds?|s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?|w|weeks?|y|yrs?|years?)$/

function isDurationText(value: string): value is DurationText {
  // `ms` refuses longer texts.
  return value.length <= 100 && durationText.test(value)
}
