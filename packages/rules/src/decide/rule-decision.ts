import type { Decision, HeldLease, Verdict } from '@sluice/core'
import { noNames, putByName, receiptsOf, withReceipts } from '@sluice/core/internal'
import type { AppliedRule, LimitCheck, RuleMatch } from './match.js'
import type { RuleDecision } from './outcome.js'

/** A consumption that was asked, and its decision. */
export interface CheckResult {
  readonly consumption: LimitCheck
  readonly decision: Decision
  /** False if the request takes its units after the response. */
  readonly isTaken?: boolean
}

/** The consumptions of a request that were asked. */
export interface CheckResults {
  /** The last consumption that may deny the request, or the one that did; undefined if there was none. */
  readonly enforced: CheckResult | undefined
  /** The other consumptions of a request that is allowed. */
  readonly tagging: readonly CheckResult[]
}

export const nothingAsked: CheckResults = { enforced: undefined, tagging: [] }

/** The decision of a judgement, as far as limits were asked. A refund of it refunds all consumptions. */
export function ruleDecision(
  judgement: RuleMatch,
  { enforced, tagging }: CheckResults,
): RuleDecision {
  const isRefused = judgement.type === 'refuse'
  const numbers = isRefused ? refusedNumbers : (enforced?.decision ?? unlimitedNumbers)
  const denied = enforced?.decision.allowed === false ? enforced : undefined
  const denier = isRefused ? judgement : denied && denierOf(denied)
  const asked = judgement.type === 'ask' ? judgement.applied : noNames
  const results = [...(enforced === undefined ? [] : [enforced]), ...tagging]
  const decision = {
    ...(tagging.length === 0 ? numbers : withTagging(numbers, results)),
    rule: denier?.rule,
    outcome: denier?.outcome,
    applied: denied === undefined ? asked : rulesOf(denied),
    tags:
      tagging.length === 0
        ? judgement.tags
        : [...new Set([...judgement.tags, ...tagging.flatMap(tagsOf)])],
    rules: judgement.version,
  }
  // Most decisions are never refunded, so their receipts are collected when they are needed.
  return withReceipts(decision, () => results.flatMap((one) => receiptsOf(one.decision) ?? []))
}

/** The numbers of a request that no rule limits. */
const unlimitedNumbers: Decision = {
  allowed: true,
  limit: Infinity,
  remaining: Infinity,
  retryAfterMs: 0,
  resetMs: 0,
  delayMs: 0,
  deniedBy: noNames,
  policies: {},
  source: 'store',
}

/** The numbers of a request that a rule refuses. It has no quota, and waiting does not help. */
const refusedNumbers: Decision = {
  ...unlimitedNumbers,
  allowed: false,
  limit: 0,
  remaining: 0,
  retryAfterMs: null,
}

/** The first rule of the document that denies. */
function denierOf({ consumption: { rules }, decision }: CheckResult): AppliedRule | undefined {
  for (const [policy, rule] of rules) if (decision.deniedBy.includes(policy)) return rule
  return undefined
}

/** The rules that a consumption asks, in the order of the document. */
function rulesOf({ consumption: { rules } }: CheckResult): readonly string[] {
  return [...new Set(Array.from(rules.values(), ({ rule }) => rule))]
}

function tagsOf({ consumption: { rules }, decision }: CheckResult): readonly string[] {
  const tags: string[] = []
  for (const [policy, { outcome }] of rules) {
    if (outcome.type === 'tag' && decision.deniedBy.includes(policy)) tags.push(outcome.tag)
  }
  return tags
}

/**
 * Adds the verdicts and the leases of tagging consumptions. They cannot deny the request, so no other number of the decision contains them. The decision is exempt
 * if all results are.
 */
function withTagging(numbers: Decision, results: readonly CheckResult[]): Decision {
  const policies: Record<string, Verdict> = {}
  for (const { decision } of results) {
    for (const [name, verdict] of Object.entries(decision.policies)) {
      putByName(policies, name, verdict)
    }
  }
  const leases = results.flatMap(({ decision: { lease } }) => (lease === undefined ? [] : [lease]))
  const { exempt: _exempt, ...others } = numbers
  return {
    ...others,
    policies,
    ...(results.every(({ decision }) => decision.exempt === true) && { exempt: true }),
    ...(leases.length > 0 && { lease: combinedLease(leases) }),
  }
}

function combinedLease(leases: readonly HeldLease[]): HeldLease {
  const [first] = leases
  if (leases.length === 1) return first
  const all = async (change: (lease: HeldLease) => boolean | Promise<boolean>): Promise<boolean> =>
    !(await Promise.all(leases.map(async (lease) => change(lease)))).includes(false)
  return {
    id: first.id,
    token: first.token,
    lengthMs: Math.min(...leases.map(({ lengthMs }) => lengthMs)),
    release: () => all((lease) => lease.release()),
    renew: () => all((lease) => lease.renew()),
  }
}
