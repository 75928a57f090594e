import type { Algorithm, Params, Row } from './algorithms/algorithm.js'

/** What one policy says. All times are whole milliseconds. */
export interface Verdict {
  readonly allowed: boolean
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

/** The answer to one request: a plain value, a denial included. Waits are the smallest whole ones, if nothing else happens. */
export interface Decision {
  readonly allowed: boolean
  /** The quota of the policy that has least remaining. */
  readonly limit: number
  /** The least that any of the policies has remaining, after this decision. */
  readonly remaining: number
  /** 0 if allowed, else how long until the same cost would be admitted by all; null if it never can be. */
  readonly retryAfterMs: number | null
  /** How long until every quota is full. */
  readonly resetMs: number
  /** How long a leaky queue asks to hold the request; 0 otherwise. */
  readonly delayMs: number
  /** The names of the policies that deny; empty if allowed. */
  readonly deniedBy: readonly string[]
  /** Each policy's own verdict, by its name. */
  readonly policies: Readonly<Record<string, Verdict>>
  /** Who decided. */
  readonly source: Source
}

export type Source = 'store'

/**
 * Reads what one policy says from its row as the decision left it. `taken`: the row already holds what the request took, so it is not
 * asked again.
 */
export function verdictOf(
  steps: Algorithm,
  params: Params,
  row: Row,
  now: number,
  cost: number,
  taken: boolean,
): Verdict {
  const wait = taken ? 0 : steps.wait(row, params, now, cost)
  const remaining = steps.remaining(row, params, now)
  const limit = steps.quota(params)
  const next = remaining < limit ? steps.wait(row, params, now, remaining + 1) : 0
  return {
    allowed: wait === 0,
    limit,
    remaining,
    retryAfterMs: wait === Infinity ? null : wait,
    nextMs: next,
    resetMs: Math.max(0, steps.ends(row, params) - now),
    delayMs: 0,
  }
}

/** Sums up the verdicts of one request: the least remaining, the longest wait. */
export function summarize(
  policies: Readonly<Record<string, Verdict>>,
  allowed: boolean,
  source: Source,
): Decision {
  let limit = Infinity
  let remaining = Infinity
  let retryAfterMs: number | null = 0
  let resetMs = 0
  let delayMs = 0
  let deniedBy: string[] | undefined
  for (const name in policies) {
    const verdict = policies[name]
    if (verdict.remaining < remaining || limit === Infinity) {
      remaining = verdict.remaining
      limit = verdict.limit
    }
    if (!verdict.allowed) (deniedBy ??= []).push(name)
    retryAfterMs = longest(retryAfterMs, verdict.retryAfterMs)
    resetMs = Math.max(resetMs, verdict.resetMs)
    delayMs = Math.max(delayMs, verdict.delayMs)
  }
  return {
    allowed,
    limit,
    remaining,
    retryAfterMs,
    resetMs,
    delayMs,
    deniedBy: deniedBy ?? none,
    policies,
    source,
  }
}

const none: readonly string[] = Object.freeze([])

function longest(a: number | null, b: number | null): number | null {
  return a === null || b === null ? null : Math.max(a, b)
}
