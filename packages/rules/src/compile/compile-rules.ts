import { warn } from './warnings.js'
import type { ParsedRules } from './parse.js'
import { createRuleSet, type RuleSet } from './rule-set.js'
import type { RuleStats } from './stats.js'

/** Options of `compileRules`. */
export interface CompileOptions {
  /** Counters of an earlier set. A rule that both sets have continues its counters. */
  readonly stats?: ReadonlyMap<string, RuleStats> | undefined
}

/**
 * Compiles a document into rules that decide requests.
 */
export async function compileRules(
  { document, version, rules, vocabulary }: ParsedRules,
  { stats }: CompileOptions = {},
): Promise<RuleSet> {
  // A document can be compiled several times.
  const findings = vocabulary.findings.copy()
  warn(rules, findings)
  return createRuleSet({ document, version, warnings: findings.list, rules, vocabulary, stats })
}
