import type { Source, Verdict } from '@sluice/core'
import type { RuleMatch } from '../../decide/match.js'
import type { Outcome } from '../../decide/outcome.js'
import type { CheckResult } from '../../decide/rule-decision.js'

/** A rule that denies a request. */
export interface ExceededRule {
  readonly rule: string
  readonly outcome: Outcome
  /** Milliseconds until it allows the request, if no other request is counted in the meantime. Null: never. 0: the rule denies without counting. */
  readonly retryAfterMs: number | null
}

/** The current counts. */
export interface PeekedCounts {
  /** The origin of the counts: the store, or the memory store that replaces it while it is unavailable. */
  readonly source: Source
  /** The verdicts, by the names of the counts. */
  readonly counts: ReadonlyMap<string, Verdict>
}

/** The rules that deny, in the order of the document. A rule with several policies denies until all of them allow. */
export function exceededRules(
  match: RuleMatch,
  results: readonly CheckResult[],
): readonly ExceededRule[] {
  if (match.type === 'refuse') {
    return [{ rule: match.rule, outcome: match.outcome, retryAfterMs: null }]
  }
  const exceeded = new Map<string, ExceededRule>()
  for (const { consumption, decision } of results) {
    for (const name of decision.deniedBy) {
      const applied = consumption.rules.get(name)
      if (applied === undefined) continue
      const { rule, outcome } = applied
      const { retryAfterMs: known = 0 } = exceeded.get(rule) ?? {}
      const { retryAfterMs: wait } = decision.policies[name]
      const retryAfterMs = known === null || wait === null ? null : Math.max(known, wait)
      exceeded.set(rule, { rule, outcome, retryAfterMs })
    }
  }
  return match.type === 'pass' ? [] : match.applied.flatMap((id) => exceeded.get(id) ?? [])
}

export function peekedCounts(results: readonly CheckResult[]): PeekedCounts {
  const decisions = results.map(({ decision }) => decision)
  const counts = new Map(decisions.flatMap(({ policies }) => Object.entries(policies)))
  const elsewhere = decisions.find(({ source }) => source !== 'store')
  return { source: elsewhere?.source ?? 'store', counts }
}
