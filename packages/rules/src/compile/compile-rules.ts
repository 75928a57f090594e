import { setImmediate } from 'node:timers/promises'
import { warn } from './warnings.js'
import { invalidRules } from '../errors.js'
import type { ParsedRules } from './parse.js'
import { CandidateIndex } from '../match/candidates/candidate-index.js'
import type { Patterns } from '../match/paths/patterns.js'
import { createPause, finishedInSlices } from '../slices.js'
import type { OverridesFunction } from './limits/overrides.js'
import { createRuleSet, type RuleSet } from './rule-set.js'
import type { RuleStats } from './stats.js'

/** Options of `compileRules`. */
export interface CompileOptions {
  /**
   * Returns limits in place of those of the rules that have `overrides`. Its answers are cached for 30 seconds. If an answer takes longer than 250 ms, the
   * rule's own limit applies.
   */
  readonly overrides?: OverridesFunction | undefined
  /** Counters of an earlier set. A rule that both sets have continues its counters. */
  readonly stats?: ReadonlyMap<string, RuleStats> | undefined
}

/**
 * Compiles a document into rules that decide requests. It works in slices and does not block the event loop.
 *
 * @throws RulesError SLUICE_RULES_INVALID if an entry of a list is wrong
 */
export async function compileRules(
  parsed: ParsedRules,
  options: CompileOptions = {},
): Promise<RuleSet> {
  const { document, version, rules, vocabulary } = parsed
  const { fields, lists } = vocabulary
  // A document can be compiled several times.
  const findings = vocabulary.findings.copy()
  // The caller may have just worked for a slice.
  await setImmediate()
  const pause = createPause()
  for (const list of lists.values()) await list.readEntries(findings, pause)
  if (findings.hasErrors) throw invalidRules(document.name, findings.list)
  if (options.overrides !== undefined) {
    for (const { action } of rules) {
      if (action.type === 'limit') action.variants.use(options.overrides)
    }
  }
  if (!findings.isComplete) await warn(document, rules, findings, pause)
  const patternsOf = (exact: boolean): Patterns => fields.patterns(exact)
  const enabled = rules.filter((rule) => rule.enabled)
  const shadow = enabled.filter((rule) => rule.shadow)
  const enforced = enabled.filter((rule) => !rule.shadow)
  const index = await finishedInSlices(CandidateIndex.build(enforced, patternsOf), pause)
  const shadowIndex =
    shadow.length === 0
      ? undefined
      : await finishedInSlices(CandidateIndex.build(shadow, patternsOf), pause)
  await setImmediate()
  return createRuleSet({
    document,
    version,
    warnings: findings.list,
    rules,
    lists,
    index,
    shadowIndex,
    slots: fields.slots,
    stats: options.stats,
  })
}
