import type { Costs, Policy, Keys } from '@sluice/core'
import type { Rules } from '@sluice/core/http'
import type { Outcome } from '../../src/index.js'
import {
  requestRules,
  type AppliedRule,
  type Ask,
  type LimitCheck,
  type RuleMatch,
} from '../../src/internal.js'

const deny: Outcome = { type: 'deny', status: 429 }

/** A rule that is the only one of its policy, whose name it has. */
export interface MadeRule extends Partial<AppliedRule> {
  readonly policy: Policy
}

/** A consumption with a record of the calls of its listeners. */
export interface Told extends LimitCheck {
  readonly told: string[]
}

/** A consumption by some rules, which records the calls of its listeners: "allowed", "denied", or the message of an error. */
export function consumption(
  rules: Readonly<Record<string, MadeRule>>,
  { keys = 'key', cost = 1 }: { readonly keys?: Keys; readonly cost?: Costs } = {},
): Told {
  const told: string[] = []
  const applied = Object.entries(rules).map(([name, { policy: _policy, ...own }]) => {
    const rule = { rule: name, outcome: deny, counts: 'all', resetOnSuccess: false } as const
    return [name, { ...rule, ...own }] as const
  })
  return {
    keys,
    cost,
    policies: Object.fromEntries(Object.entries(rules).map(([name, { policy }]) => [name, policy])),
    rules: new Map<string, AppliedRule>(applied),
    told,
    onDecision: ({ allowed }) => void told.push(allowed ? 'allowed' : 'denied'),
    onError: (error) => void told.push(error instanceof Error ? error.message : String(error)),
  }
}

/** A judgement that asks limits. */
export function asks(parts: Partial<Ask>): Ask {
  const { enforced = [], tagging = [] } = parts
  const applied = new Set<string>()
  for (const { rules } of [...enforced, ...tagging]) {
    for (const { rule } of rules.values()) applied.add(rule)
  }
  const asked = { applied: [...applied], enforced, tagging, shadow: [] }
  return { type: 'ask', version: 'v1', tags: [], ...asked, ...parts }
}

/** Rules that judge each request in the same way. */
export function rulesOf(judgement: RuleMatch | Promise<RuleMatch>): Rules<unknown> {
  return requestRules('rules', () => judgement)
}
