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

/** The policies of which something can be proved without their state. */
export type BoundedPolicy = Bucket | Window | ConcurrencyPolicy

/**
 * What a policy allows, whatever the requests are: at most `within(length)` units in any `length` consecutive milliseconds, and at most
 * burst + (length − 1) × units / every. Bigints, since the products may leave 2^53.
 */
export interface Bounds {
  within(length: bigint): bigint
  readonly burst: bigint
  readonly units: bigint
  readonly every: bigint
}

/** Undefined if nothing is known: the windows of a calendar may be cut short by the clocks, and leases last as long as they are renewed. */
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

/** How many consecutive milliseconds, the present one included, hold all units that a window counts. */
export function memoryOf(policy: Window): bigint {
  if (policy.kind === 'calendarWindow') return longestPeriods[policy.period]
  const window = BigInt(policy.window)
  if (policy.kind !== 'slidingWindow') return window
  // The older window counts while its last unit is inside, and it opened less than a window before that unit.
  if (policy.tail === 'spread') return 2n * window - 1n
  return policy.tail === 'weighted' ? window + window / BigInt(policy.buckets) : window
}

interface Limited {
  readonly limit: number
  readonly window: number
}

/** Windows that open at an admitted request each. Of a window that reaches into a stretch from before it, at least that request lies outside. */
function boundsOfOwnWindows(policy: Limited): Bounds {
  const [limit, window] = [BigInt(policy.limit), BigInt(policy.window)]
  function within(length: bigint): bigint {
    const opening = limit * ceil(length, window)
    if (length === 1n) return opening
    const reachingIn = limit - 1n + limit * ceil(length - 1n, window)
    return opening > reachingIn ? opening : reachingIn
  }
  return { within, burst: 2n * limit - 1n, units: limit, every: window }
}

function boundsOfClockWindows(policy: Limited): Bounds {
  const [limit, window] = [BigInt(policy.limit), BigInt(policy.window)]
  const within = (length: bigint): bigint => limit * (ceil(length - 1n, window) + 1n)
  return { within, burst: 2n * limit, units: limit, every: window }
}

/** As many sub-windows in a row as make up one window hold at most the limit together. */
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
 * In a stretch of at most a window lie units of one window, or k of an older one and some of the current one. The n units of the older one
 * were opened by one before the stretch, so k ≤ n − 1. When the last unit of the stretch was taken, x after the first one left,
 * n − 1 − ⌊x(n − 1)/span⌋ of the older ones counted, and with the current ones they were at most the limit. So the stretch holds at most
 * limit + ⌊x(n − 1)/span⌋, where n ≤ limit and x/span ≤ (length − 2)/(window − 1).
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

/** Longer than any such period, whatever a country does to its clocks. */
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
