import type { RuleDeclaration } from '../document/document.js'
import type { Findings } from '../document/findings.js'
import { isApart } from './limits/counting.js'
import type { CompiledRule, Limit } from './rule.js'

/** Checks that ids and counts have one meaning each. */
export function checkCounts(
  declarations: readonly (RuleDeclaration | undefined)[],
  rules: readonly CompiledRule[],
  findings: Findings,
): void {
  const ids = new Set<string>()
  declarations.forEach((rule, number) => {
    if (rule !== undefined && ids.has(rule.id)) {
      const place = findings.place('rules', number, 'id')
      place.error('SLUICE_RULES_ID_TAKEN', rule.id, 'another rule')
    }
    if (rule !== undefined) ids.add(rule.id)
  })
  const counts = new Map<string, { readonly rule: CompiledRule; readonly limit: Limit }>()
  const names = new Map<string, string>()
  for (const rule of rules) {
    if (rule.action.type !== 'limit') continue
    const limit = rule.action
    const sharing = counts.get(limit.count)
    if (sharing === undefined) counts.set(limit.count, { rule, limit })
    else checkShared(rule, limit, sharing.rule, sharing.limit, findings)
    for (const name of limit.variants.names) {
      const owner = names.get(name)
      if (owner !== undefined && owner !== limit.count) {
        const other = `a policy of the count "${owner}"`
        findings.place('rules', rule.number, 'id').error('SLUICE_RULES_ID_TAKEN', name, other)
      }
      names.set(name, limit.count)
    }
  }
}

function checkShared(
  rule: CompiledRule,
  limit: Limit,
  other: CompiledRule,
  otherLimit: Limit,
  findings: Findings,
): void {
  const fail = (problem: string): void =>
    findings
      .place('rules', rule.number, 'count')
      .error('SLUICE_RULES_COUNT', limit.count, other.id, problem)
  if ((limit.role === 'shadow') !== (otherLimit.role === 'shadow')) {
    fail('one of them is a shadow rule, which must not change the counts of others')
  }
  if (isApart(limit.counting) !== isApart(otherLimit.counting)) {
    fail('one of them is decided by itself, because of "reserve" or "denied" in "counts"')
  }
  const kinds = new Set([...kindsOf(limit), ...kindsOf(otherLimit)])
  if (kinds.size > 1) fail(`they have policies of different kinds (${[...kinds].join(', ')})`)
}

function kindsOf({ variants }: Limit): readonly string[] {
  const kinds = variants.alternatives.map(({ policy: { kind } }) => kind)
  return [...new Set(kinds)].filter((kind) => kind !== 'unlimited')
}
