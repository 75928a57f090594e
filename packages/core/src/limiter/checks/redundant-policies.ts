import type { Period } from '../../algorithms/calendar-window/calendar.js'
import type { CalendarWindowPolicy } from '../../algorithms/calendar-window/index.js'
import type { ConcurrencyPolicy } from '../../algorithms/concurrency/index.js'
import {
  boundsOf,
  memoryOf,
  type BoundedPolicy,
  type Bounds,
  type Bucket,
  type Window,
} from './policy-bounds.js'
import { isKey, type Keys, type Policies } from '../bound-policies.js'
import { sluiceError } from '../../errors.js'
import type { Policy } from '../../policy.js'
import type { BoundPolicy } from '../../stores/store.js'
import { warn } from '../../warnings.js'

/**
 * Finds a policy of a limiter that another policy makes redundant; undefined if there is none. The returned function warns once, when both policies
 * count by the same key. It does not warn for policies that a call chooses, nor for different keys, because then the policy can deny a request.
 */
export function watchRedundancy(
  entries: readonly BoundPolicy[],
  policies: Policies,
): ((key: Keys, chosen: Policies | undefined) => void) | undefined {
  const redundant = redundantAmong(entries)
  if (redundant === undefined) return undefined
  const { limiter, name, other } = redundant
  return function watch(key, chosen = policies) {
    if (chosen !== policies || !isKey(key)) return
    warn(sluiceError('SLUICE_POLICY_REDUNDANT', limiter, name, other))
  }
}

/** If two policies are equal, the later one is redundant. */
function redundantAmong(
  entries: readonly BoundPolicy[],
): { limiter: string; name: string; other: string } | undefined {
  for (const { limiter, name, policy } of entries.toReversed()) {
    const other = entries.find((each) => each.name !== name && isRedundant(policy, each.policy))
    if (other !== undefined) return { limiter, name, other: other.name }
  }
  return undefined
}

/**
 * Whether a policy provably denies no request that the other policy allows, if both count by the same key, so that each request is counted by both
 * or by neither. False if there is no proof. Refunds, penalties and resets are not considered.
 */
export function isRedundant(policy: Policy, other: Policy): boolean {
  if (!isBounded(policy) || !isBounded(other)) return false
  // A block also denies requests below the limit. A limit of 0 denies everything on purpose.
  if (policy.block !== undefined || quotaOf(policy) === 0 || quotaOf(other) === 0) return false
  switch (policy.kind) {
    case 'concurrency':
      return other.kind === 'concurrency' && isRedundantConcurrency(policy, other)
    case 'gcra':
    case 'tokenBucket':
    case 'leakyBucket':
      return isRedundantBucket(policy, boundsOf(other))
    default:
      return isRedundantWindow(policy, other)
  }
}

function isBounded(policy: Policy): policy is BoundedPolicy {
  return boundedKinds.has(policy.kind)
}

// Without `staged` and `unlimited`, and without `leakyQueue`, which also delays requests.
const boundedKinds: ReadonlySet<string> = new Set<BoundedPolicy['kind']>([
  'fixedWindow',
  'calendarWindow',
  'slidingWindow',
  'slidingLog',
  'gcra',
  'tokenBucket',
  'leakyBucket',
  'concurrency',
])

function quotaOf(policy: BoundedPolicy): number {
  return 'capacity' in policy ? policy.capacity : policy.limit
}

/** A window counts the units of one interval. It is redundant if the other policy allows at most its limit in an interval of that length. */
function isRedundantWindow(policy: Window, other: BoundedPolicy): boolean {
  if (containsWindowsOf(policy, other)) return quotaOf(other) <= policy.limit
  if (policy.kind === 'calendarWindow' && other.kind === 'calendarWindow') {
    return isRedundantCalendar(policy, other)
  }
  const max = boundsOf(other)?.within(memoryOf(policy))
  return max !== undefined && max <= BigInt(policy.limit)
}

/** Whether each window of a policy lies within one window of the other: the windows are equal, or aligned to the clock and nested. */
function containsWindowsOf(policy: Window, other: BoundedPolicy): boolean {
  const { limit: _limit, ...shape } = policy
  if (Object.entries(shape).every(([name, value]) => Reflect.get(other, name) === value))
    return true
  return (
    policy.kind === 'fixedWindow' &&
    other.kind === 'fixedWindow' &&
    policy.align === 'clock' &&
    other.align === 'clock' &&
    other.window % policy.window === 0 &&
    (other.offset - policy.offset) % policy.window === 0
  )
}

function isRedundantCalendar(policy: CalendarWindowPolicy, other: CalendarWindowPolicy): boolean {
  if (policy.timeZone !== other.timeZone) return false
  const overlapped = overlappedPeriods[other.period][policy.period]
  // A week that starts on another day overlaps two weeks.
  const isShifted = policy.weekStartsOn !== other.weekStartsOn
  const areWeeks = policy.period === 'week' && other.period === 'week'
  const max = BigInt(other.limit) * BigInt(areWeeks && isShifted ? 2 : overlapped)
  return max <= BigInt(policy.limit)
}

/** The largest number of the other policy's periods that one period of the policy overlaps: by the other's period, then by the policy's. */
const overlappedPeriods: Readonly<Record<Period, Readonly<Record<Period, number>>>> = {
  hour: { hour: 1, day: 49, week: 8 * 24, month: 33 * 24 },
  day: { hour: 1, day: 1, week: 7, month: 31 },
  week: { hour: 1, day: 1, week: 1, month: 6 },
  month: { hour: 1, day: 1, week: 2, month: 1 },
}

/** A bucket denies nothing if it drains at least as fast as the other policy allows units, and its burst is at least as large. */
function isRedundantBucket(policy: Bucket, other: Bounds | undefined): boolean {
  // A bucket that starts with fewer units than its capacity denies requests at first that it would allow later.
  if (policy.kind === 'tokenBucket' && policy.initial < policy.capacity) return false
  const own = boundsOf(policy)
  if (own === undefined || other === undefined || other.burst > own.burst) return false
  return other.units * own.every <= own.units * other.every
}

/** If the lengths differ, an owner whose lease has expired in one policy only takes units in that policy and none in the other. */
function isRedundantConcurrency(policy: ConcurrencyPolicy, other: ConcurrencyPolicy): boolean {
  return other.limit <= policy.limit && policy.lease === other.lease
}
