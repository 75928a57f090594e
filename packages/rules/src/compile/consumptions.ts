import type { Decision, Keys, Policies, Policy } from '@sluice/core'
import type { AppliedRule, Consumption } from '@sluice/core/http'
import { RecentMap } from '../match/recent-map.js'
import type { Limit } from './rule.js'
import { countDecision, type RuleStats } from './stats.js'
import type { Applied } from './walk.js'

/** What one call of the limiter decides, for every request to which the same rules apply in the same variants. */
interface Group {
  readonly role: Limit['role']
  /** Positions among the rules that apply. */
  readonly members: readonly number[]
  /** The names of each member's policies. */
  readonly names: readonly (readonly string[])[]
  readonly policies: Policies
  readonly rules: ReadonlyMap<string, AppliedRule>
}

/** The calls for a request. */
export interface Consumptions {
  readonly enforced: readonly Consumption[]
  readonly tagging: readonly Consumption[]
  readonly shadow: readonly Consumption[]
}

/**
 * Makes the calls for the rules that apply. The limiter binds each object of policies once, so the objects are kept by the set of rules and variants.
 */
export class Consumer {
  readonly #plans = new RecentMap<string, readonly Group[]>(4096)
  readonly #statsOf: (rule: string) => RuleStats

  constructor(statsOf: (rule: string) => RuleStats) {
    this.#statsOf = statsOf
  }

  consumptionsOf(applied: readonly Applied[]): Consumptions {
    const enforced: Consumption[] = []
    const tagging: Consumption[] = []
    const shadow: Consumption[] = []
    const calls = { enforced, tagging, shadow }
    for (const group of this.#planOf(applied)) {
      calls[group.role].push(new RuleConsumption(group, applied, this.#statsOf))
    }
    return calls
  }

  #planOf(applied: readonly Applied[]): readonly Group[] {
    const key = planKey(applied)
    let plan = this.#plans.get(key)
    if (plan === undefined) this.#plans.set(key, (plan = groupsOf(applied)))
    return plan
  }
}

/** Equal for requests with the same variants and the same division by cost. */
function planKey(applied: readonly Applied[]): string {
  let key = ''
  for (let i = 0; i < applied.length; i++) {
    const { variant, limit } = applied[i]
    const same = applied.findIndex((other) => belongsWith(other, applied[i]))
    // A count belongs to one rule, unless rules share it.
    key += same === i || same === -1 ? `${variant.id},` : `${variant.id}/${same},`
    if (limit.role === 'shadow') key += 's'
  }
  return key
}

/** Rules with different costs take different calls: a request to a store has one cost. */
function belongsWith(a: Applied, b: Applied): boolean {
  return a.limit.role === b.limit.role && a.cost === b.cost
}

function groupsOf(applied: readonly Applied[]): readonly Group[] {
  const groups: number[][] = []
  applied.forEach((one, i) => {
    const group = groups.find(([first]) => belongsWith(applied[first], one))
    if (group === undefined) groups.push([i])
    else group.push(i)
  })
  return groups.map((members) => {
    const policies: Record<string, Policy> = {}
    const rules = new Map<string, AppliedRule>()
    for (const member of members) {
      const { rule, limit, variant } = applied[member]
      const { outcome, counts, resetOnSuccess } = limit
      for (const [name, policy] of variant.policies) {
        policies[name] = policy
        rules.set(name, { rule: rule.id, outcome, counts, resetOnSuccess })
      }
    }
    const names = members.map((member) => applied[member].variant.policies.map(([name]) => name))
    return { role: applied[members[0]].limit.role, members, names, policies, rules }
  })
}

class RuleConsumption implements Consumption {
  readonly keys: Keys
  readonly policies: Policies
  readonly cost: number
  readonly rules: ReadonlyMap<string, AppliedRule>
  readonly #group: Group
  readonly #applied: readonly Applied[]
  readonly #statsOf: (rule: string) => RuleStats

  constructor(group: Group, applied: readonly Applied[], statsOf: (rule: string) => RuleStats) {
    this.keys = keysOf(group, applied)
    this.policies = group.policies
    this.cost = applied[group.members[0]].cost
    this.rules = group.rules
    this.#group = group
    this.#applied = applied
    this.#statsOf = statsOf
  }

  onDecision(decision: Decision): void {
    const { members, names, role } = this.#group
    members.forEach((member, i) => {
      const stats = this.#statsOf(this.#applied[member].rule.id)
      countDecision(stats, names[i], role === 'shadow', decision)
    })
  }

  onError(): void {
    for (const member of this.#group.members) {
      this.#statsOf(this.#applied[member].rule.id).errors++
    }
  }
}

/** One key for all policies of one rule, else the key of each policy. */
function keysOf({ members, names }: Group, applied: readonly Applied[]): Keys {
  if (members.length === 1) return applied[members[0]].key
  const keys: Record<string, Applied['key']> = {}
  members.forEach((member, i) => {
    for (const name of names[i]) keys[name] = applied[member].key
  })
  return keys
}
