import type { Period } from '../../algorithms/calendar-window/calendar.js'
import type { CalendarWindowPolicy } from '../../algorithms/calendar-window/index.js'
import type { ConcurrencyPolicy } from '../../algorithms/concurrency/index.js'
import type { FixedWindowPolicy } from '../../algorithms/fixed-window/index.js'
import type { LeakyBucketPolicy, TokenBucketPolicy } from '../../algorithms/gcra/buckets.js'
import type { GcraPolicy } from '../../algorithms/gcra/index.js'
import type { SlidingLogPolicy } from '../../algorithms/sliding-log/index.js'
import type { SlidingWindowPolicy } from '../../algorithms/sliding-window/index.js'

export type Bucket = GcraPolicy | TokenBucketPolicy | LeakyBucketPolicy
export type Window =
  | FixedWindowPolicy
  | CalendarWindowPolicy
  | SlidingWindowPolicy
  | SlidingLogPolicy

/** The policies whose bounds follow from their options, or that can be redundant for another reason. */
export type BoundedPolicy = Bucket | Window | ConcurrencyPolicy

/**
 * The most that a policy allows for any sequence of requests: at most `within(length)` units in any `length` consecutive milliseconds, and at most
 * burst + (length − 1) × units / every. The numbers are bigints because the products can exceed 2^53.
 */
export interface Bounds {
  within(length: bigint): bigint
  readonly burst: bigint
  readonly units: bigint
  readonly every: bigint
}

/** Undefined if there is no bound: a change of the clocks can shorten the windows of a calendar, and a lease lasts as long as it is renewed. */
export function boundsOf(policy: BoundedPolicy): Bounds | undefined {
  switch (policy.kind) {
    case 'fixedWindow':
      return policy.align === 'first' ? boundsOfOwnWindows(policy) : boundsOfClockWindows(policy)
    case 'slidingWindow':
      return policy.tail === 'spread' ? boundsOfSpread(policy) : boundsOfSubWindows(policy)
    case 'slidingLog': {
      const [limit, window] = [BigInt(policy.limit), BigInt(policy.window)]
      const within = (length: bigint): bigint => limit * ceil(length, window)
      return { within, burst: limit, units: limit, every: window }
    }
    case 'gcra':
      return boundsOfBucket(policy.burst, policy.limit, policy.window)
    case 'tokenBucket':
      return boundsOfBucket(policy.capacity, policy.refill, policy.every)
    case 'leakyBucket':
      return boundsOfBucket(policy.capacity, policy.leak, policy.every)
    case 'calendarWindow':
    case 'concurrency':
      return undefined
    default:
      return policy satisfies never
  }
}

/** The length, in milliseconds, of the interval up to now in which all units of a window were taken. */
export function memoryOf(policy: Window): bigint {
  if (policy.kind === 'calendarWindow') return longestPeriods[policy.period]
  const window = BigInt(policy.window)
  if (policy.kind !== 'slidingWindow') return window
  // The older window counts for one window after its last unit, and it began less than one window before that unit.
  if (policy.tail === 'spread') return 2n * window - 1n
  return policy.tail === 'weighted' ? window + window / BigInt(policy.buckets) : window
}

interface Limited {
  readonly limit: number
  readonly window: number
}

/**
 * Each window begins with an allowed request. If a window began before an interval and overlaps it, at least that request lies outside of the
 * interval.
 */
function boundsOfOwnWindows(policy: Limited): Bounds {
  const [limit, window] = [BigInt(policy.limit), BigInt(policy.window)]
  function within(length: bigint): bigint {
    const startingInside = limit * ceil(length, window)
    if (length === 1n) return startingInside
    const overlapping = limit - 1n + limit * ceil(length - 1n, window)
    return startingInside > overlapping ? startingInside : overlapping
  }
  return { within, burst: 2n * limit - 1n, units: limit, every: window }
}

function boundsOfClockWindows(policy: Limited): Bounds {
  const [limit, window] = [BigInt(policy.limit), BigInt(policy.window)]
  const within = (length: bigint): bigint => limit * (ceil(length - 1n, window) + 1n)
  return { within, burst: 2n * limit, units: limit, every: window }
}

/** Consecutive sub-windows that together are as long as one window contain at most the limit. */
function boundsOfSubWindows(policy: SlidingWindowPolicy): Bounds {
  const [limit, window] = [BigInt(policy.limit), BigInt(policy.window)]
  const buckets = BigInt(policy.buckets)
  function within(length: bigint): bigint {
    const touched = ceil((length - 1n) * buckets, window) + 1n
    return limit * ceil(touched, buckets)
  }
  return { within, burst: limit + ceil(limit, buckets), units: limit, every: window }
}

/**
 * An interval that is at most one window long contains units of one window, or k units of an older window and some of the current window. The
 * first of the n units of the older window was taken before the interval, so k ≤ n − 1. Let x be the time from the moment at which the first of
 * the n units expired to the last unit of the interval. Then n − 1 − ⌊x(n − 1)/span⌋ of the older units counted, and together with the current ones
 * they were at most the limit. So the interval contains at most limit + ⌊x(n − 1)/span⌋ units, where n ≤ limit and
 * x/span ≤ (length − 2)/(window − 1).
 */
function boundsOfSpread(policy: Limited): Bounds {
  const own = boundsOfOwnWindows(policy)
  const [limit, window] = [BigInt(policy.limit), BigInt(policy.window)]
  function within(length: bigint): bigint {
    if (length === 1n || length > window) return own.within(length)
    return limit + ((length - 2n) * (limit - 1n)) / (window - 1n)
  }
  return { ...own, within }
}

function boundsOfBucket(burst: number, units: number, every: number): Bounds {
  const bounds = { burst: BigInt(burst), units: BigInt(units), every: BigInt(every) }
  const within = (length: bigint): bigint =>
    bounds.burst + ((length - 1n) * bounds.units) / bounds.every
  return { within, ...bounds }
}

/** Longer than any period of this kind in any time zone. */
const longestPeriods: Readonly<Record<Period, bigint>> = {
  hour: hours(3),
  day: hours(49),
  week: hours(8 * 24),
  month: hours(33 * 24),
}

function hours(count: number): bigint {
  return BigInt(count) * 3_600_000n
}

function ceil(dividend: bigint, divisor: bigint): bigint {
  return (dividend + divisor - 1n) / divisor
}
