import { usualReading } from '../../algorithms/reading.js'
import type { Rule } from '../../algorithms/kind.js'
import type { DecidedPolicy } from '../../stores/compiled-policies.js'

/** The part of a decision that belongs to one policy. All times are whole milliseconds. */
export interface Verdict {
  /** Whether this policy allows the request. */
  readonly allowed: boolean
  /** The units that count after this decision, rounded up. After a penalty they can exceed the limit. */
  readonly used: number
  /** The policy's quota: its limit, burst or capacity. */
  readonly limit: number
  /** The units that could be taken now, after this decision. */
  readonly remaining: number
  /** The wait until the policy would allow the same cost: 0 if allowed, null if it never can. */
  readonly retryAfterMs: number | null
  /** The wait until `remaining` increases; 0 if the quota is full. */
  readonly nextMs: number
  /** The wait until the quota is full; 0 if it is full. */
  readonly resetMs: number
  /** The delay of a leaky queue; 0 otherwise. */
  readonly delayMs: number
}

/** The part of a policy's state that its verdict depends on. */
type Decided = Omit<DecidedPolicy, 'sideState'>

/**
 * Reads a verdict from a state as the decision left it.
 *
 * @param taken whether the row contains the units of this request. If so, the request was allowed, and its wait is 0.
 */
type ReadVerdict = (decided: Decided, cost: number, taken: boolean) => Verdict

/** Reads the verdicts of one policy. */
export interface VerdictReader {
  /** The quota. */
  readonly limit: number
  /** Whether the policy delays requests. */
  readonly delays: boolean
  readonly read: ReadVerdict
}

/** Reads the steps from their objects once, because the property lookups for each decision take longer than the steps themselves. */
export function verdictReader({ steps, params }: Rule): VerdictReader {
  const { wait: waitOf, delay: delayOf } = steps
  const limit = steps.quota(params)
  const delays = delayOf !== usualReading.delay

  function read(decided: Decided, cost: number, taken: boolean): Verdict {
    const { row, now, blockedUntil } = decided
    const wait = taken ? 0 : waitOf(row, params, now, cost)
    const delay = delays && wait === 0 ? delayOf(row, params, now, cost, taken && cost > 0) : 0
    const verdict = verdictFrom(decided, limit, wait, delay)
    return blockedUntil > now ? blockedVerdict(verdict, blockedUntil - now, taken) : verdict
  }

  return { limit, delays, read }
}

function verdictFrom(decided: Decided, limit: number, wait: number, delayMs: number): Verdict {
  const used = compact(decided.used)
  const remaining = used < limit ? limit - used : 0
  return {
    allowed: wait === 0,
    used,
    limit,
    remaining,
    retryAfterMs: wait === Infinity ? null : wait,
    nextMs: remaining < limit ? compact(decided.next) : 0,
    // A quota of 0 is always full, also if units of an earlier, larger quota still count.
    resetMs: limit === 0 ? 0 : Math.max(0, compact(decided.full - decided.now)),
    delayMs,
  }
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

/** The same number. V8 keeps a small integer in the field of an object itself, and allocates memory for any other number. */
export function compact(number: number): number {
  const integer = number | 0
  return integer === number ? integer : number
}

/** Sets an own property, whatever its name is. */
export function putByName<T>(named: Record<string, T>, name: string, value: T): void {
  // An assignment to this name would set the prototype.
  if (name === '__proto__') Object.defineProperty(named, name, { value, enumerable: true })
  else named[name] = value
}
