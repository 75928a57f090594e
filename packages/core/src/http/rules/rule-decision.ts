import type { Decision, HeldLease } from '../../limiter/decision.js'
import { noNames } from '../../limiter/reading/read-decision.js'
import { addReceipt, plainCopy, receiptsOf } from '../../limiter/receipts/receipt.js'
import { putByName, type Verdict } from '../../limiter/reading/verdict.js'
import { after, together } from '../awaitable.js'
import type { AppliedRule, Ask, Consumption, Pass, Refuse, RuleDecision } from './judgement.js'

/** A consumption that was asked, and its decision. */
export interface Part {
  readonly consumption: Consumption
  readonly decision: Decision
}

/** The parts of a request that was asked. */
export interface AskedParts {
  /** All parts of `enforced` if they allow the request, else only the one that denies it: the units of those before it were refunded. */
  readonly enforced: readonly Part[]
  readonly tagging: readonly Part[]
  /** The consumptions that were asked, if not all were. */
  readonly asked?: readonly Consumption[]
}

/** The decision about a request that no rule limits. */
export function passedDecision({ tags, version }: Pass): RuleDecision {
  const about = { rule: undefined, outcome: undefined, applied: noNames, tags, rules: version }
  return withReceipts(joined(unlimitedNumbers, about), [])
}

/** The decision about a request that a rule refuses. It has no quota, and waiting does not help. */
export function refusedDecision({ rule, outcome, tags, version }: Refuse): RuleDecision {
  const numbers = {
    ...unlimitedNumbers,
    allowed: false,
    limit: 0,
    remaining: 0,
    retryAfterMs: null,
  }
  const about = { rule, outcome, applied: noNames, tags, rules: version }
  return withReceipts(joined(numbers, about), [])
}

/** The decision about a request whose limits were asked. A refund of it refunds all its parts. */
export function askedDecision(
  { tags, version, applied }: Ask,
  { enforced, tagging, asked }: AskedParts,
): RuleDecision {
  const parts = tagging.length === 0 ? enforced : [...enforced, ...tagging]
  const denying = enforced.find(({ decision }) => !decision.allowed)
  const denier = denying === undefined ? undefined : denierOf(denying)
  const about = {
    rule: denier?.rule,
    outcome: denier?.outcome,
    applied: asked === undefined ? applied : among(asked, applied),
    tags: tagging.length === 0 ? tags : [...new Set([...tags, ...tagging.flatMap(tagsOf)])],
    rules: version,
  }
  const one = parts.length === 1 && enforced.length === 1
  return withReceipts(joined(one ? enforced[0].decision : combined(enforced, parts), about), parts)
}

function joined(numbers: Decision, about: Omit<RuleDecision, keyof Decision>): RuleDecision {
  return Object.assign(plainCopy(numbers), about)
}

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

/** The first rule of the document that denies. */
function denierOf({ consumption: { rules }, decision }: Part): AppliedRule | undefined {
  for (const [policy, rule] of rules) if (decision.deniedBy.includes(policy)) return rule
  return undefined
}

/** Those of the rules that were asked. */
function among(asked: readonly Consumption[], ids: readonly string[]): readonly string[] {
  const found = new Set(asked.flatMap(({ rules }) => [...rules.values()].map(({ rule }) => rule)))
  return ids.filter((id) => found.has(id))
}

function tagsOf({ consumption: { rules }, decision }: Part): readonly string[] {
  const tags: string[] = []
  for (const [policy, { outcome }] of rules) {
    if (outcome.type === 'tag' && decision.deniedBy.includes(policy)) tags.push(outcome.tag)
  }
  return tags
}

/** The numbers of several decisions as one. A tagging part adds its verdicts and its lease: it cannot deny the request, so no summary contains it. */
function combined(enforced: readonly Part[], parts: readonly Part[]): Decision {
  const policies: Record<string, Verdict> = {}
  for (const { decision } of parts) {
    for (const [name, verdict] of Object.entries(decision.policies)) {
      putByName(policies, name, verdict)
    }
  }
  let all: Decision = { ...unlimitedNumbers, policies }
  for (const { decision } of enforced) {
    const tighter = decision.remaining < all.remaining ? decision : all
    all = {
      allowed: all.allowed && decision.allowed,
      limit: tighter.limit,
      remaining: tighter.remaining,
      retryAfterMs: decision.allowed ? all.retryAfterMs : decision.retryAfterMs,
      resetMs: Math.max(all.resetMs, decision.resetMs),
      delayMs: Math.max(all.delayMs, decision.delayMs),
      deniedBy: decision.allowed ? all.deniedBy : decision.deniedBy,
      policies,
      source: all.source === 'store' ? decision.source : all.source,
    }
  }
  const leases = parts.flatMap(({ decision: { lease } }) => (lease === undefined ? [] : [lease]))
  return leases.length === 0 ? all : { ...all, lease: combinedLease(leases) }
}

function combinedLease(leases: readonly HeldLease[]): HeldLease {
  const [first] = leases
  if (leases.length === 1) return first
  const areAll = (each: readonly boolean[]): boolean => !each.includes(false)
  return {
    id: first.id,
    token: first.token,
    lengthMs: Math.min(...leases.map(({ lengthMs }) => lengthMs)),
    release: () =>
      after(
        together(leases, (lease) => lease.release()),
        areAll,
      ),
    renew: () =>
      after(
        together(leases, (lease) => lease.renew()),
        areAll,
      ),
  }
}

/** Most decisions are never refunded, so their receipts are collected when they are needed. */
function withReceipts(decision: RuleDecision, parts: readonly Part[]): RuleDecision {
  return addReceipt(decision, {
    get receipts() {
      return parts.flatMap(({ decision: part }) => receiptsOf(part) ?? [])
    },
  })
}
