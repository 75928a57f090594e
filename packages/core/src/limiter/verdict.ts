import type { PolicyStatus, Verdict } from './decision.js'
import { blockedMs, exemptMs, grantedUnits, isExempt, isGranted } from '../stores/override.js'
import type { LimiterPolicy, State } from '../stores/store.js'

/**
 * Reads the verdict of a policy from its state after a decision.
 *
 * @param taken whether the state contains the units of this request, unless it is exempt. If so, the request was allowed, and its wait is 0.
 */
export function verdictOf(
  policy: LimiterPolicy,
  state: State,
  cost: number,
  taken: boolean,
): Verdict {
  if (policy.quota === Infinity) return unlimitedVerdict()
  if (state.override === undefined) return plainVerdict(policy, state, cost, taken)
  const verdict = plainVerdict(policy, state, cost, taken && !isExempt(state))
  return overriddenVerdict(verdict, state, cost, taken)
}

function plainVerdict(
  { steps, params, quota }: LimiterPolicy,
  { row, now }: State,
  cost: number,
  isTaken: boolean,
): Verdict {
  const { used, wait, next, full, delay } = steps.read(row, params, now, cost, isTaken)
  const remaining = used < quota ? quota - used : 0
  return {
    allowed: wait === 0,
    used: compact(used),
    limit: compact(quota),
    remaining: compact(remaining),
    retryAfterMs: wait === Infinity ? null : compact(wait),
    nextMs: remaining < quota ? compact(next) : 0,
    // A quota of 0 is always full, also if units of an earlier, larger quota still count.
    resetMs: quota === 0 || full <= now ? 0 : compact(full - now),
    delayMs: wait === 0 ? compact(delay) : 0,
  }
}

/** The verdict of a key that has an exemption, a block, or a grant. */
function overriddenVerdict(own: Verdict, state: State, cost: number, taken: boolean): Verdict {
  const granted = grantedUnits(state)
  const verdict =
    granted === undefined ? own : { ...own, remaining: own.remaining + granted, granted }
  if (isExempt(state)) return { ...verdict, allowed: true, retryAfterMs: 0, delayMs: 0 }
  const ms = blockedMs(state)
  if (ms > 0) return blockedVerdict(verdict, ms, taken)
  return isGranted(state, cost) ? { ...verdict, allowed: true, retryAfterMs: 0 } : verdict
}

/** The counts of a policy, from its state after a peek of cost 0. */
export function policyStatusOf(policy: LimiterPolicy, state: State): PolicyStatus {
  const { used, limit, remaining, resetMs, granted } = verdictOf(policy, state, 0, false)
  return {
    used,
    limit,
    remaining,
    resetMs,
    blockedMs: blockedMs(state),
    exemptMs: exemptMs(state),
    ...(granted !== undefined && { granted }),
  }
}

/** The verdict of a policy that counts nothing. Made when it is needed, because Infinity changes how V8 stores the numbers of all verdicts. */
function unlimitedVerdict(): Verdict {
  return {
    allowed: true,
    used: 0,
    limit: Infinity,
    remaining: Infinity,
    retryAfterMs: 0,
    nextMs: 0,
    resetMs: 0,
    delayMs: 0,
  }
}

/** The same number. V8 keeps a small integer in the field of an object itself, and allocates memory for any other number. */
function compact(number: number): number {
  const integer = number | 0
  return integer === number ? integer : number
}

/** The verdict for a key that is blocked. If the units were taken, the request itself started the block. */
function blockedVerdict(verdict: Verdict, blockedMs: number, taken: boolean): Verdict {
  const { limit, retryAfterMs, remaining, nextMs, resetMs, delayMs } = verdict
  const nextUnblockedMs = remaining > 0 ? blockedMs : Math.max(blockedMs, nextMs)
  return {
    ...verdict,
    allowed: taken,
    remaining: 0,
    retryAfterMs: taken ? 0 : longest(blockedMs, retryAfterMs),
    // With a quota of 0, `remaining` never increases.
    nextMs: limit === 0 ? 0 : nextUnblockedMs,
    resetMs: Math.max(blockedMs, resetMs),
    delayMs: taken ? delayMs : 0,
  }
}

/** The longer of two waits. Null means forever, and is the longest. */
export function longest(a: number | null, b: number | null): number | null {
  return a === null || b === null ? null : Math.max(a, b)
}

/** Sets an own property, whatever its name is. */
export function putByName<T>(named: Record<string, T>, name: string, value: T): void {
  // An assignment to this name would set the prototype.
  if (name === '__proto__') Object.defineProperty(named, name, { value, enumerable: true })
  else named[name] = value
}
