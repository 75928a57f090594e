import type { Decision } from '@sluice/core'

/** Counters of one rule. */
export interface RuleStats {
  /** Requests that it matched. */
  matched: number
  /** Requests for which it was asked. */
  asked: number
  /** Decisions in which it allowed. */
  allowed: number
  /** Decisions in which it denied. */
  denied: number
  /** Allowed requests after which at least 80 % of the quota were in use. */
  near: number
  /** Requests that it would have denied or refused, if it were not a shadow rule. */
  shadowDenied: number
  /** Requests that it refused without asking the store. */
  refused: number
  /** Requests whose judgement or decision failed at it. */
  errors: number
}

export function emptyStats(): RuleStats {
  return {
    matched: 0,
    asked: 0,
    allowed: 0,
    denied: 0,
    near: 0,
    shadowDenied: 0,
    refused: 0,
    errors: 0,
  }
}

/** Adds a decision about the policies of a rule. */
export function countDecision(
  stats: RuleStats,
  names: readonly string[],
  shadow: boolean,
  decision: Decision,
): void {
  if (names.some((name) => decision.deniedBy.includes(name))) {
    if (shadow) stats.shadowDenied++
    else stats.denied++
    return
  }
  stats.allowed++
  for (const name of names) {
    const verdict = Object.hasOwn(decision.policies, name) ? decision.policies[name] : undefined
    if (verdict === undefined || !Number.isFinite(verdict.limit) || verdict.limit === 0) continue
    if (verdict.limit - verdict.remaining >= nearShare * verdict.limit) {
      stats.near++
      return
    }
  }
}

const nearShare = 0.8
