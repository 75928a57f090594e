import type { Limiter } from '@sluice/core'
import { peekAt } from '../../decide/apply.js'
import type { RuleMatch } from '../../decide/match.js'
import type { Outcome } from '../../decide/outcome.js'
import type { CheckResult } from '../../decide/rule-decision.js'
import type { RulesDocument } from '../../document/document.js'

/** A rule that denies a request. */
export interface ExceededRule {
  readonly rule: string
  readonly outcome: Outcome
  /** Milliseconds until it allows the request, if no other request is counted in the meantime. Null: never. 0: the rule denies without counting. */
  readonly retryAfterMs: number | null
}

/** Peeks at every count that a judgement asks for. */
export async function exceededRules(
  limiter: Limiter,
  judgement: RuleMatch,
  { rules }: RulesDocument,
): Promise<readonly ExceededRule[]> {
  if (judgement.type === 'pass') return []
  if (judgement.type === 'refuse') {
    return [{ rule: judgement.rule, outcome: judgement.outcome, retryAfterMs: null }]
  }
  const asked = [...judgement.enforced, ...judgement.tagging]
  const results = await Promise.all(asked.map((check) => peekAt(limiter, check)))
  const exceeded = new Map(results.flatMap(exceededOf).map((rule) => [rule.rule, rule]))
  return rules.flatMap(({ id }) => exceeded.get(id) ?? [])
}

/** A rule with several policies is exceeded until all of them allow. */
function exceededOf({ consumption: { rules }, decision }: CheckResult): readonly ExceededRule[] {
  const exceeded = new Map<string, ExceededRule>()
  for (const name of decision.deniedBy) {
    const applied = rules.get(name)
    if (applied === undefined) continue
    const { rule, outcome } = applied
    const known = exceeded.get(rule)?.retryAfterMs
    const retryAfterMs = longer(known, decision.policies[name].retryAfterMs)
    exceeded.set(rule, { rule, outcome, retryAfterMs })
  }
  return [...exceeded.values()]
}

function longer(known: number | null | undefined, wait: number | null): number | null {
  return known === null || wait === null ? null : Math.max(known ?? 0, wait)
}
