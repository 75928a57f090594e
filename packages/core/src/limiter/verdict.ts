import type { Row } from '../algorithms/algorithm.js'
import { usualReading } from '../algorithms/reading.js'
import type { Rule } from '../algorithms/kind.js'
import type { State } from '../stores/store.js'

/** What one policy says. All times are whole milliseconds. */
export interface Verdict {
  readonly allowed: boolean
  /** The units that count now, after this decision, rounded up; more than the limit if there is a debt. */
  readonly used: number
  /** The policy's quota: its limit, burst or capacity. */
  readonly limit: number
  /** How many units could still be taken right now, after this decision. */
  readonly remaining: number
  /** 0 if allowed, else how long until the same cost would be; null if it never can be. */
  readonly retryAfterMs: number | null
  /** How long until `remaining` grows; 0 if the quota is full. */
  readonly nextMs: number
  /** How long until the quota is full; 0 if it is. */
  readonly resetMs: number
  /** How long a leaky queue asks to hold the request; 0 otherwise. */
  readonly delayMs: number
}

/**
 * Reads what one policy says from a row as the decision left it. `taken`: the row already holds what the request took, so it is not asked
 * again.
 */
export type VerdictReader = (
  row: Row,
  now: number,
  used: number,
  blockedMs: number,
  cost: number,
  taken: boolean,
) => Verdict

/** Takes the steps out of the rule once: to look them up in each of five objects for each decision takes longer than to run them. */
export function verdictReader({ steps, params }: Rule): VerdictReader {
  const { wait: waitOf, next: nextOf, full: fullOf, delay: delayOf } = steps
  const limit = steps.quota(params)
  const delays = delayOf !== usualReading.delay

  return function readVerdict(row, now, used, blockedMs, cost, taken) {
    const free = Math.max(0, limit - used)
    const wait = taken ? 0 : Math.max(blockedMs, waitOf(row, params, now, cost))
    const next = free < limit ? nextOf(row, params, now, free + 1) : 0
    return {
      allowed: wait === 0,
      used,
      limit,
      remaining: blockedMs > 0 ? 0 : free,
      retryAfterMs: wait === Infinity ? null : wait,
      nextMs: blockedMs === 0 ? next : free > 0 ? blockedMs : Math.max(blockedMs, next),
      // A quota of nothing is full whatever was used of it before.
      resetMs: Math.max(blockedMs, limit === 0 ? 0 : fullOf(row, params) - now),
      delayMs: delays && wait === 0 ? delayOf(row, params, now, cost, taken && cost > 0) : 0,
    }
  }
}

const readers = new WeakMap<Rule, VerdictReader>()

/** Reads what one policy says from its state. */
export function verdictOf(
  rule: Rule,
  { row, blockedUntil, now }: State,
  cost: number,
  taken: boolean,
): Verdict {
  let read = readers.get(rule)
  if (read === undefined) {
    read = verdictReader(rule)
    readers.set(rule, read)
  }
  const used = rule.steps.used(row, rule.params, now)
  return read(row, now, used, Math.max(0, blockedUntil - now), cost, taken)
}

/** Notes what was read from a policy under its name. */
export function putByName<T>(named: Record<string, T>, name: string, value: T): void {
  // To assign to this name would set a prototype.
  if (name === '__proto__') Object.defineProperty(named, name, { value, enumerable: true })
  else named[name] = value
}
