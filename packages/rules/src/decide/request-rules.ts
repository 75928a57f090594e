import {
  afterwards,
  assertWithoutResponse,
  warnOfFailure,
  whileConnected,
  type Awaitable,
  type Counted,
  type DenialAnswer,
  type RequestContext,
  type RequestView,
  type Rules,
} from '@sluice/core/http'
import { applyLimits, takeUnits } from './apply.js'
import type { LimitCheck, RuleMatch } from './match.js'
import type { Outcome } from './outcome.js'
import { ruleDecision, type CheckResult } from './rule-decision.js'
import { resetsOf, uncountedBy } from './settlement.js'

/** Makes rules for `rateLimit({ rules })`. The function is asked once for each request, so that one set of rules decides all of it. */
export function requestRules<R>(
  name: string,
  judge: (request: R, view: RequestView<R>) => Awaitable<RuleMatch>,
): Rules<R> {
  return {
    name,
    async decide(context) {
      const { limiter, view, dryRun } = context
      const judgement = seen(await judge(view.raw, view), context)
      if (judgement.type === 'pass' && judgement.tags.length === 0) return undefined
      const settle = (result: CheckResult): void => settleLater(result, context)
      const results = await applyLimits(limiter, judgement, {
        request: view.raw,
        mode: dryRun ? 'dryRun' : 'enforced',
        delay: async (work) => whileConnected(context.response, work),
        onTaken: settle,
      })
      const decision = ruleDecision(judgement, results)
      // The application sees no decision of shadow rules alone.
      if (decision.allowed && decision.applied.length + decision.tags.length === 0) return undefined
      const { enforced } = results
      return {
        decision,
        counted: enforced && countedBy(enforced),
        answer: decision.outcome && answerOf(decision.outcome),
        proceed: () => enforced && settle(enforced),
      }
    },
  }
}

function countedBy({ consumption, decision }: CheckResult): Counted {
  const { keys, policies, rules } = consumption
  return { decision, policies, keys, names: rules }
}

function answerOf(outcome: Outcome): DenialAnswer {
  switch (outcome.type) {
    case 'deny':
      return { status: outcome.status, body: outcome.body }
    case 'challenge': {
      const { type: _type, ...challenge } = outcome
      return { members: { challenge } }
    }
    default:
      return {}
  }
}

/** Refunds, resets and releases after the response, as the rules say. */
function settleLater<R>(result: CheckResult, context: RequestContext<R>): void {
  const { decision, consumption, isTaken } = result
  const { keys, policies, rules } = consumption
  const isFixed = Array.from(rules.values()).every(({ counts }) => counts === 'all')
  afterwards(context, {
    decision,
    policies,
    keys,
    uncounted: isFixed ? undefined : (outcome) => uncountedBy(result, outcome),
    resets: resetsOf(result),
    takeLater:
      isTaken === false
        ? async () => takeUnits(context.limiter, consumption, context.view.raw)
        : undefined,
  })
}

/**
 * Refuses rules that depend on a response that nobody sees. The request does not wait for late shadow rules: these are not asked, and the error is a warning.
 */
function seen<R>(judgement: RuleMatch, context: RequestContext<R>): RuleMatch {
  if (judgement.type !== 'ask') return judgement
  const { enforced, tagging, shadow, lateShadow } = judgement
  if (context.seesResponse) return judgement
  const assertSeen = (one: LimitCheck): void =>
    assertWithoutResponse(context.limiter.name, one.policies, neededBy(one))
  for (const one of [...enforced, ...tagging, ...shadow]) assertSeen(one)
  return lateShadow === undefined
    ? judgement
    : { ...judgement, lateShadow: lateSeen(lateShadow, assertSeen) }
}

async function lateSeen(
  late: PromiseLike<readonly LimitCheck[]>,
  assertSeen: (one: LimitCheck) => void,
): Promise<readonly LimitCheck[]> {
  const all = await late
  try {
    all.forEach(assertSeen)
    return all
  } catch (error) {
    warnOfFailure(error)
    return []
  }
}

function neededBy({ rules }: LimitCheck): string | undefined {
  for (const { rule, counts, reserves, resetOnSuccess } of rules.values()) {
    if (counts !== 'all' || reserves === false) return `"count" of the rule ${JSON.stringify(rule)}`
    if (resetOnSuccess) return `"resetOn" of the rule ${JSON.stringify(rule)}`
  }
  return undefined
}
