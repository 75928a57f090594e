import type { Awaitable, Judgement } from '@sluice/core/http'
import type { RulesDocument } from '../document/document.js'
import type { Finding } from '../errors.js'
import type { Facts } from '../facts.js'
import type { CandidateIndex } from '../match/candidates/candidate-index.js'
import { RequestContext, suspended } from '../match/context.js'
import { Consumer } from './consumptions.js'
import { explain, type ExplainOptions, type Explanation } from './explain.js'
import type { CompiledRule } from './rule.js'
import { publicNames } from './public-names.js'
import { emptyStats, type RuleStats } from './stats.js'
import { walk, type Walked } from './walk.js'

/** Compiled rules. A set never changes; a reload creates another one. */
export interface RuleSet {
  /** The name of the rules: the namespace of their counters. */
  readonly name: string
  /** The first 16 hexadecimal digits of the SHA-256 of the document and its files. */
  readonly version: string
  /** The document. */
  readonly document: RulesDocument
  /** Parts of the document that are valid and probably mistakes. */
  readonly warnings: readonly Finding[]
  /**
   * Finds the rules that apply to a request. It returns a promise only if a value or an override is one.
   *
   * @param now milliseconds since the epoch, for schedules
   * @throws RulesError SLUICE_RULES_VALUE_MISSING, SLUICE_RULES_VALUE_INVALID, SLUICE_RULES_TOO_MANY; SluiceError SLUICE_ADDRESS_MISSING; and the errors of
   * the functions that return values
   */
  judge(facts: Facts, now: number): Awaitable<Judgement>
  /** Explains the judgement of a request rule by rule. It counts nothing. */
  explain(facts: Facts, now: number, options?: ExplainOptions): Awaitable<Explanation>
  /** Counters by the id of the rule. */
  readonly stats: ReadonlyMap<string, RuleStats>
}

/** The parts of a compiled document. */
export interface Program {
  readonly document: RulesDocument
  readonly version: string
  readonly warnings: readonly Finding[]
  readonly rules: readonly CompiledRule[]
  readonly index: CandidateIndex<CompiledRule>
  /** The number of fields that a request may have to keep. */
  readonly slots: number
  /** The counters of an earlier set. */
  readonly stats: ReadonlyMap<string, RuleStats> | undefined
}

export function createRuleSet(program: Program): RuleSet {
  const { document, version, warnings, rules, index, slots } = program
  const stats = rules.map(({ id }) => program.stats?.get(id) ?? emptyStats())
  const consumer = new Consumer(stats, publicNames(rules))

  function failed({ number }: CompiledRule, error: unknown): void {
    if (error !== suspended) stats[number].errors++
  }

  function judge(context: RequestContext): Judgement {
    return judgementOf(walk(index.search(context), context, failed))
  }

  function judgementOf({ applied, others, tags, endedBy, wouldRefuse }: Walked): Judgement {
    for (const { rule } of applied) stats[rule.number].matched++
    for (const { number } of others) stats[number].matched++
    for (const { number } of wouldRefuse) stats[number].shadowDenied++
    if (endedBy?.action.type === 'refuse') {
      const { id, number, action } = endedBy
      stats[number].refused++
      return { type: 'refuse', version, tags, rule: id, outcome: action.outcome }
    }
    if (applied.length === 0) return { type: 'pass', version, tags }
    const { enforced, tagging, shadow } = consumer.consumptionsOf(applied)
    return { type: 'ask', version, tags, enforced, tagging, shadow }
  }

  return {
    name: document.name,
    version,
    document,
    warnings,
    stats: new Map(rules.map(({ id, number }) => [id, stats[number]])),
    judge: (facts, now) => completed(judge, new RequestContext(facts, now, slots)),
    explain(facts, now, options = {}) {
      const work = (context: RequestContext): Explanation =>
        explain(version, rules, context, options)
      return completed(work, new RequestContext(facts, now, slots))
    },
  }
}

/** Does the work again whenever a value that it needs has arrived. */
function completed<T>(work: (context: RequestContext) => T, context: RequestContext): Awaitable<T> {
  try {
    return work(context)
  } catch (error) {
    if (error !== suspended || context.pending === undefined) throw error
    return Promise.resolve(context.pending).then(() => completed(work, context))
  }
}
