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
import { tell } from '../../warnings.js'

/**
 * Looks for a policy of a limiter that another one makes useless: undefined if there is none. What it returns warns of it once, when both count
 * by the same key. Policies that are chosen for each call are left out of account, and so are keys that differ: there, the policy may deny.
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
    tell(sluiceError('SLUICE_POLICY_REDUNDANT', limiter, name, other))
  }
}

/** Of two policies that are alike, the later one is redundant. */
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
 * Whether a policy provably denies no request that another one allows, if both count by the same key: each request is counted by both or by
 * neither. False where it is not known. Refunds, penalties and resets are left out of account.
 */
export function isRedundant(policy: Policy, other: Policy): boolean {
  if (!isBounded(policy) || !isBounded(other)) return false
  // A block denies on its own account. A limit of 0 denies everything, and is meant to.
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

// Not among them: `staged`, `unlimited`, and `leakyQueue`, which delays requests besides.
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

/** A window counts at most the units of a stretch of time. If the other policy allows no more than its limit in that, it denies none of them. */
function isRedundantWindow(policy: Window, other: BoundedPolicy): boolean {
  if (holdsWindowsOf(policy, other)) return quotaOf(other) <= policy.limit
  if (policy.kind === 'calendarWindow' && other.kind === 'calendarWindow') {
    return isRedundantCalendar(policy, other)
  }
  const most = boundsOf(other)?.within(memoryOf(policy))
  return most !== undefined && most <= BigInt(policy.limit)
}

/** Whether each window of a policy lies within one of the other's: they open and close together, or nest on the clock. */
function holdsWindowsOf(policy: Window, other: BoundedPolicy): boolean {
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
  const touched = touchedPeriods[other.period][policy.period]
  // A week that starts on another day touches two.
  const isShifted = policy.weekStartsOn !== other.weekStartsOn
  const areWeeks = policy.period === 'week' && other.period === 'week'
  const most = BigInt(other.limit) * BigInt(areWeeks && isShifted ? 2 : touched)
  return most <= BigInt(policy.limit)
}

/** How many of the first period one of the second touches, at the most: hours lie in days, and days in weeks and months. */
const touchedPeriods: Readonly<Record<Period, Readonly<Record<Period, number>>>> = {
  hour: { hour: 1, day: 49, week: 8 * 24, month: 33 * 24 },
  day: { hour: 1, day: 1, week: 7, month: 31 },
  week: { hour: 1, day: 1, week: 1, month: 6 },
  month: { hour: 1, day: 1, week: 2, month: 1 },
}

/** A bucket never overflows if it drains at least as fast as the other policy allows units, and holds the burst that comes on top. */
function isRedundantBucket(policy: Bucket, other: Bounds | undefined): boolean {
  // A bucket that is born with less denies at first what it would allow later.
  if (policy.kind === 'tokenBucket' && policy.initial < policy.capacity) return false
  const own = boundsOf(policy)
  if (own === undefined || other === undefined || other.burst > own.burst) return false
  return other.units * own.every <= own.units * other.every
}

/** With leases of another length, an owner whose lease has ended in one of them takes units there, and none in the other. */
function isRedundantConcurrency(policy: ConcurrencyPolicy, other: ConcurrencyPolicy): boolean {
  return other.limit <= policy.limit && policy.lease === other.lease
}
