import type { Costs, Decision, Keys, Policies, Policy } from '@sluice/core'
import type { AppliedRule, Ask, LimitCheck } from '../decide/match.js'
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
  readonly policies: Policies
  readonly rules: ReadonlyMap<string, AppliedRule>
}

/** The calls for all requests to which the same rules apply in the same variants. */
interface Plan {
  readonly groups: readonly Group[]
  /** The ids of the rules, in the order of the document. */
  readonly ids: readonly string[]
}

interface Calls {
  readonly ids: readonly string[]
  enforced: Ask['enforced']
  tagging: readonly LimitCheck[]
  shadow: readonly LimitCheck[]
}

/** The calls for a request, and the ids of its rules. */
export type Consumptions = Readonly<Calls>

const none: readonly [] = Object.freeze<readonly []>([])

/**
 * Makes the calls for the rules that apply. The limiter binds each object of policies once, so the objects are kept by the set of rules and variants.
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
    const calls: Calls = { ids, enforced: none, tagging: none, shadow: none }
    for (const group of groups) {
      const call = new RuleConsumption(group, applied, this.#stats)
      const { role } = group
      calls[role] = calls[role] === none ? [call] : [...calls[role], call]
    }
    return calls
  }

  #planOf(applied: readonly Applied[]): Plan {
    const key = planKey(applied)
    let plan = this.#plans.get(key)
    if (plan === undefined) {
      const ids = applied.map(({ rule }) => rule.id)
      plan = { groups: groupsOf(applied, this.#names), ids }
      this.#plans.set(key, plan)
    }
    return plan
  }
}

/** Equal for requests with the same variants. The role of a rule follows from its variant. */
function planKey(applied: readonly Applied[]): string | number {
  const [{ variant }] = applied
  if (applied.length === 1) return variant.id
  let key = `${variant.id}`
  for (let i = 1; i < applied.length; i++) key += `,${applied[i].variant.id}`
  return key
}

/**
 * All enforced rules are one call, so that a request counts in all of them or in none. A rule that does not deny requests is decided by itself: in a call with
 * others, it would stop counting as soon as one of them denies. So is one that counts attempts, or after the response; all others follow them.
 */
function groupsOf(
  applied: readonly Applied[],
  publicNames: ReadonlyMap<string, string>,
): readonly Group[] {
  const groups: number[][] = []
  const together: number[] = []
  applied.forEach(({ limit }, i) => {
    if (limit.role !== 'enforced' || isApart(limit.counting)) groups.push([i])
    else together.push(i)
  })
  if (together.length > 0) groups.push(together)
  return groups.map((members) => groupOf(members, applied, publicNames))
}

function groupOf(
  members: readonly number[],
  applied: readonly Applied[],
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
  const names = members.map((member) => applied[member].variant.policies.map(([name]) => name))
  return { role: applied[members[0]].limit.role, members, names, policies, rules }
}

class RuleConsumption implements LimitCheck {
  readonly keys: Keys
  readonly policies: Policies
  readonly cost: Costs
  readonly rules: ReadonlyMap<string, AppliedRule>
  readonly #group: Group
  readonly #applied: readonly Applied[]
  readonly #stats: readonly RuleStats[]

  constructor(group: Group, applied: readonly Applied[], stats: readonly RuleStats[]) {
    this.keys = keysOf(group, applied)
    this.policies = group.policies
    this.cost = costsOf(group, applied)
    this.rules = group.rules
    this.#group = group
    this.#applied = applied
    this.#stats = stats
  }

  onDecision(decision: Decision): void {
    const { members, names, role } = this.#group
    members.forEach((member, i) => {
      const stats = this.#stats[this.#applied[member].rule.number]
      countDecision(stats, names[i], role === 'shadow', decision)
    })
  }

  onError(): void {
    for (const member of this.#group.members)
      this.#stats[this.#applied[member].rule.number].errors++
  }
}

/** One key for all policies of one rule, else the key of each policy. */
function keysOf({ members, names }: Group, applied: readonly Applied[]): Keys {
  if (members.length === 1) return applied[members[0]].key
  const keys: Record<string, Applied['key']> = {}
  for (let i = 0; i < members.length; i++) {
    for (const name of names[i]) keys[name] = applied[members[i]].key
  }
  return keys
}

/** One cost if it is that of all rules, else the cost of each policy. */
function costsOf({ members, names }: Group, applied: readonly Applied[]): Costs {
  const { cost } = applied[members[0]]
  if (members.every((member) => applied[member].cost === cost)) return cost
  const costs: Record<string, number> = {}
  for (let i = 0; i < members.length; i++) {
    for (const name of names[i]) costs[name] = applied[members[i]].cost
  }
  return costs
}
