import type { Policy } from '@sluice/core'
import type { Awaitable } from '@sluice/core/http'
import { isPromise } from '@sluice/core/internal'
import type { LimitCheck, RuleMatch } from '../decide/match.js'
import type { RulesDocument } from '../document/document.js'
import type { Finding } from '../errors.js'
import type { Facts } from '../facts.js'
import { Candidates } from '../match/candidates.js'
import { Request } from '../match/reading.js'
import { awaited } from './awaited.js'
import { Consumer } from './consumptions.js'
import { explain, type ExplainOptions, type Explanation } from './explain.js'
import type { ParsedRules } from './parse.js'
import type { CompiledRule } from './rule.js'
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
   * Finds the rules that apply to a request. It returns a promise only if a value is one.
   *
   * @param now milliseconds since the epoch, for schedules
   * @throws RulesError SLUICE_RULES_VALUE_MISSING, SLUICE_RULES_VALUE_INVALID, SLUICE_RULES_TOO_MANY; SluiceError SLUICE_ADDRESS_MISSING; and the errors of
   * the functions that return values
   */
  judge(facts: Facts, now: number): Awaitable<RuleMatch>
  /** Explains the judgement of a request rule by rule. It counts nothing. */
  explain(facts: Facts, now: number, options?: ExplainOptions): Awaitable<Explanation>
  /** Counters by the id of the rule. */
  readonly stats: ReadonlyMap<string, RuleStats>
  /**
   * A policy for each count of the rules, by its name, with which the methods of a limiter find the count. If the policy depends on the request, such as on a
   * plan or a schedule, it is the first one of the document.
   */
  readonly policies: ReadonlyMap<string, Policy>
}

const rulesOfSets = new WeakMap<RuleSet, readonly CompiledRule[]>()

/** The compiled rules of a set, for comparisons. A set from another copy of this package has none. */
export function rulesOf(set: RuleSet): readonly CompiledRule[] {
  return rulesOfSets.get(set) ?? []
}

/** Options of `compileRules`. */
export interface CompileOptions {
  /** Counters of an earlier set. A rule that both sets have continues its counters. */
  readonly stats?: ReadonlyMap<string, RuleStats> | undefined
}

/** Compiles a document into rules that decide requests. */
export async function compileRules(
  { document, version, rules, vocabulary }: ParsedRules,
  options: CompileOptions = {},
): Promise<RuleSet> {
  const { fields, patterns } = vocabulary
  const stats = rules.map(({ id }) => options.stats?.get(id) ?? emptyStats())
  const consumer = new Consumer(stats, publicNames(rules))
  const enabled = rules.filter((rule) => rule.enabled)
  const enforced = new Candidates(enabled.filter((rule) => !rule.shadow))
  const shadow = new Candidates(enabled.filter((rule) => rule.shadow))
  const hasShadow = enabled.some((rule) => rule.shadow)
  const { slots } = fields

  function failed({ number }: CompiledRule): void {
    stats[number].errors++
  }

  function judge(request: Request): Awaitable<RuleMatch> {
    return awaited(walk(enforced.of(request), request, failed), (walked) => {
      countMatches(walked)
      const match = matchOf(walked)
      return hasShadow ? withShadow(match, shadowOf(walked, request)) : match
    })
  }

  function matchOf({ applied, tags, endedBy }: Walked): RuleMatch {
    if (endedBy?.action.type === 'refuse') {
      const { id, number, action } = endedBy
      stats[number].refused++
      return { type: 'refuse', version, tags, rule: id, outcome: action.outcome }
    }
    if (applied.length === 0) return { type: 'pass', version, tags }
    const { ids, enforced, tagging } = consumer.consumptionsOf(applied)
    return { type: 'ask', version, tags, applied: ids, enforced, tagging, shadow: noChecks }
  }

  /** The checks of the shadow rules, or a promise of them, which never rejects. */
  function shadowOf(walked: Walked, request: Request): Awaitable<readonly LimitCheck[]> {
    const isRefused = walked.endedBy?.action.type === 'refuse'
    try {
      const found = awaited(walk(shadow.of(request), request, failed, walked), (inShadow) => {
        countMatches(inShadow)
        const { applied, others } = inShadow
        for (const { number, action } of others) {
          if (action.type === 'refuse') stats[number].shadowDenied++
        }
        return isRefused || applied.length === 0
          ? noChecks
          : consumer.consumptionsOf(applied).shadow
      })
      return isPromise(found) ? Promise.resolve(found).catch(() => noChecks) : found
    } catch {
      // A field that cannot be read is the error of an enforced rule, if one needs it.
      return noChecks
    }
  }

  function countMatches({ applied, others }: Walked): void {
    for (const { rule } of applied) stats[rule.number].matched++
    for (const { number } of others) stats[number].matched++
  }

  const set: RuleSet = {
    name: document.name,
    version,
    document,
    warnings: [...vocabulary.findings.list],
    stats: new Map(rules.map(({ id, number }) => [id, stats[number]])),
    policies: policiesOf(rules),
    judge: (facts, now) => judge(new Request(facts, now, patterns, slots)),
    explain: (facts, now, options = {}) =>
      explain(version, rules, new Request(facts, now, patterns, slots), options),
  }
  rulesOfSets.set(set, rules)
  return set
}

/** The first rule with a count has its policy. */
function policiesOf(rules: readonly CompiledRule[]): ReadonlyMap<string, Policy> {
  const policies = new Map<string, Policy>()
  for (const { action } of rules) {
    if (action.type !== 'limit') continue
    for (const { name, policy } of action.variants.alternatives) {
      if (!policies.has(name)) policies.set(name, policy)
    }
  }
  return policies
}

const noChecks: readonly [] = Object.freeze<readonly []>([])

function withShadow(match: RuleMatch, shadow: Awaitable<readonly LimitCheck[]>): RuleMatch {
  if (match.type === 'refuse' || shadow === noChecks) return match
  const none = { applied: noChecks, enforced: noChecks, tagging: noChecks, shadow: noChecks }
  const checks = isPromise(shadow) ? { lateShadow: shadow } : { shadow }
  return { ...none, ...match, type: 'ask', ...checks }
}

/**
 * The public names of policies whose own names responses must not contain: `limit`, `limit-2` and so on, in the order of the document. A policy has the
 * same public name in all responses, so that a client can tell it from others.
 */
function publicNames(rules: readonly CompiledRule[]): ReadonlyMap<string, string> {
  const names = new Map<string, string>()
  if (!rules.some(isHidden)) return names
  const taken = new Set<string>()
  for (const { action } of rules) if (action.type === 'limit') taken.add(action.count)
  let number = 0
  for (const rule of rules) {
    if (rule.action.type !== 'limit' || !isHidden(rule)) continue
    for (const policy of rule.action.variants.names) {
      if (names.has(policy)) continue
      let name: string
      do name = ++number === 1 ? 'limit' : `limit-${number}`
      while (taken.has(name))
      names.set(policy, name)
    }
  }
  return names
}

function isHidden({ declaration }: CompiledRule): boolean {
  return declaration.expose === false
}
