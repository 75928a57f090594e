import type { Costs, Decision, Keys, Policies, Policy } from '@sluice/core'
import type { AppliedRule, LimitCheck } from '../decide/match.js'
import { RecentMap } from '../match/recent-map.js'
import { isApart } from './limits/counting.js'
import type { Limit } from './rule.js'
import { countDecision, type RuleStats } from './stats.js'
import type { Applied } from './walk.js'

/**
 * The rules that one call of the limiter decides, for every request to which the same rules apply in the same variants. The limiter counts in all of them
 * or in none.
 */
interface Group {
  readonly role: Limit['role']
  /** Positions among the rules that apply. */
  readonly members: readonly number[]
  /** The names of each member's policies. */
  readonly names: readonly (readonly string[])[]
  /** The counters of each member. */
  readonly stats: readonly RuleStats[]
  readonly policies: Policies
  readonly rules: ReadonlyMap<string, AppliedRule>
}

/** The calls for all requests to which the same rules apply in the same variants. */
interface Plan {
  readonly groups: readonly Group[]
  /** The ids of the rules, in the order of the document. */
  readonly ids: readonly string[]
}

/** The checks for a request, and the ids of its rules. */
export interface Consumptions extends Record<Limit['role'], readonly LimitCheck[]> {
  readonly ids: readonly string[]
}

/**
 * Makes the checks for the rules that apply. The limiter binds each object of policies once, so the objects are kept by the set of rules and variants.
 */
export class Consumer {
  readonly #plans = new RecentMap<string | number, Plan>(4096)
  readonly #stats: readonly RuleStats[]
  readonly #names: ReadonlyMap<string, string>

  /**
   * @param stats by the number of the rule
   * @param names of the policies that responses do not name
   */
  constructor(stats: readonly RuleStats[], names: ReadonlyMap<string, string>) {
    this.#stats = stats
    this.#names = names
  }

  consumptionsOf(applied: readonly Applied[]): Consumptions {
    for (const { rule } of applied) this.#stats[rule.number].asked++
    const { groups, ids } = this.#planOf(applied)
    const checks: Record<Limit['role'], LimitCheck[]> = { enforced: [], tagging: [], shadow: [] }
    for (const group of groups) {
      checks[group.role].push(new RuleConsumption(group, applied))
    }
    return { ids, ...checks }
  }

  #planOf(applied: readonly Applied[]): Plan {
    const key = planKey(applied)
    let plan = this.#plans.get(key)
    if (plan === undefined) {
      const ids = applied.map(({ rule }) => rule.id)
      plan = { groups: groupsOf(applied, this.#stats, this.#names), ids }
      this.#plans.set(key, plan)
    }
    return plan
  }
}

/** Equal for requests with the same variants. The role of a rule follows from its variant. */
function planKey(applied: readonly Applied[]): string | number {
  const [{ variant }] = applied
  return applied.length === 1 ? variant.id : applied.map((one) => one.variant.id).join()
}

/**
 * All enforced rules are one call, so that a request counts in all of them or in none. A rule that does not deny requests is decided by itself: in a call with
 * others, it would stop counting as soon as one of them denies. So is one that counts attempts, or after the response; all others follow them.
 */
function groupsOf(
  applied: readonly Applied[],
  stats: readonly RuleStats[],
  publicNames: ReadonlyMap<string, string>,
): readonly Group[] {
  const groups: number[][] = []
  const together: number[] = []
  applied.forEach(({ limit }, i) => {
    if (limit.role !== 'enforced' || isApart(limit.counting)) groups.push([i])
    else together.push(i)
  })
  if (together.length > 0) groups.push(together)
  return groups.map((members) => groupOf(members, applied, stats, publicNames))
}

function groupOf(
  members: readonly number[],
  applied: readonly Applied[],
  stats: readonly RuleStats[],
  publicNames: ReadonlyMap<string, string>,
): Group {
  const policies: Record<string, Policy> = {}
  const rules = new Map<string, AppliedRule>()
  for (const member of members) {
    const { rule, limit, variant } = applied[member]
    const { outcome, counting, resetOnSuccess } = limit
    for (const [name, policy] of variant.policies) {
      policies[name] = policy
      const publicName = publicNames.get(name)
      const own = { rule: rule.id, outcome, ...counting, resetOnSuccess }
      rules.set(name, publicName === undefined ? own : { ...own, publicName })
    }
  }
  return {
    role: applied[members[0]].limit.role,
    members,
    names: members.map((member) => applied[member].variant.policies.map(([name]) => name)),
    stats: members.map((member) => stats[applied[member].rule.number]),
    policies,
    rules,
  }
}

class RuleConsumption implements LimitCheck {
  readonly keys: Keys
  readonly policies: Policies
  readonly cost: Costs
  readonly rules: ReadonlyMap<string, AppliedRule>
  readonly #group: Group

  constructor(group: Group, applied: readonly Applied[]) {
    const { members, policies, rules } = group
    const { cost, key } = applied[members[0]]
    const isSame = members.every((member) => applied[member].cost === cost)
    this.keys = members.length === 1 ? key : byPolicy(group, applied, 'key')
    this.cost = isSame ? cost : byPolicy(group, applied, 'cost')
    this.policies = policies
    this.rules = rules
    this.#group = group
  }

  onDecision(decision: Decision): void {
    const { names, role, stats } = this.#group
    stats.forEach((own, i) => countDecision(own, names[i], role === 'shadow', decision))
  }

  onError(): void {
    for (const own of this.#group.stats) own.errors++
  }
}

/** The key or the cost of each policy. */
function byPolicy<M extends 'key' | 'cost'>(
  { members, names }: Group,
  applied: readonly Applied[],
  member: M,
): Record<string, Applied[M]> {
  const values: Record<string, Applied[M]> = {}
  members.forEach((position, i) => {
    for (const name of names[i]) values[name] = applied[position][member]
  })
  return values
}
