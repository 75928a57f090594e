import type { Decision, DecisionEvent, Policy } from '@sluice/core'
import { decidedPolicies } from './decided-policies.js'
import { RecentKeys } from './recent-keys.js'
import { Ring } from './steps.js'

/** The kinds of decisions. */
export type Outcome = 'allowed' | 'denied' | 'exempt' | 'wouldDeny'

/** One value for each kind of decision. */
export function byOutcome<T>(of: (outcome: Outcome) => T): Record<Outcome, T> {
  return {
    allowed: of('allowed'),
    denied: of('denied'),
    exempt: of('exempt'),
    wouldDeny: of('wouldDeny'),
  }
}

/** A policy of a limiter, as decisions show it. */
export interface PolicyRecord {
  readonly name: string
  /** Policies of one group count by the same key. */
  group: number
  /** Undefined until it denies. */
  denied?: Ring
  /** Denials that deny no request. Undefined until there is one. */
  wouldDeny?: Ring
  /** The limit of the last decision of the store. Undefined until there is one. */
  limit?: number | undefined
  /** The last step in which decisions have shown different limits. */
  variedAt: number
  /** The policy itself, for methods of limiters whose calls pass their policies. */
  policy?: Policy | undefined
}

/** The decisions of one limiter in the last hour. */
export class LimiterRecord {
  readonly name: string
  readonly allowed: Ring = new Ring()
  readonly denied: Ring = new Ring()
  readonly exempt: Ring = new Ring()
  /** Denials of shadow rules, of tags, and of dry runs. */
  readonly wouldDeny: Ring = new Ring()
  readonly policies: Map<string, PolicyRecord> = new Map()
  readonly requests: RecentKeys
  readonly denials: RecentKeys
  /** Whether decisions have shown different limits of one policy. */
  hasVaried = false

  constructor(name: string, now: number) {
    this.name = name
    this.requests = new RecentKeys(now)
    this.denials = new RecentKeys(now)
  }

  /**
   * Takes the policies that a decision names for the first time, their limits, and which of them count by the same key.
   *
   * @param step the current step
   * @param mayAdd whether there is room for another policy
   */
  learn(
    keys: DecisionEvent['keys'],
    decision: Decision,
    step: number,
    mayAdd: () => boolean,
  ): void {
    for (const name in keys) {
      const policy = this.policies.get(name) ?? (mayAdd() ? this.#add(name) : undefined)
      if (policy === undefined) continue
      const limit = decision.policies[name]?.limit
      if (limit !== policy.limit && isOfStore(decision)) {
        if (policy.limit !== undefined) {
          policy.variedAt = step
          this.hasVaried = true
        }
        policy.limit = limit
        policy.policy = decidedPolicies(decision).find((one) => one.name === name)?.policy
      }
      this.#join(keys, policy)
    }
  }

  #add(name: string): PolicyRecord {
    const record = { name, group: this.policies.size, variedAt: -Infinity }
    this.policies.set(name, record)
    return record
  }

  /** Joins a policy with the first one that counts by its key. */
  #join(keys: DecisionEvent['keys'], { name, group }: PolicyRecord): void {
    for (const other in keys) {
      if (other === name) return
      const first = this.policies.get(other)
      if (first === undefined || keys[other] !== keys[name]) continue
      if (first.group === group) return
      for (const one of this.policies.values()) if (one.group === group) one.group = first.group
      return
    }
  }

  /** The names of the policies, by their groups. */
  groups(): readonly (readonly string[])[] {
    const groups = new Map<number, string[]>()
    for (const { name, group } of this.policies.values()) {
      groups.set(group, [...(groups.get(group) ?? []), name])
    }
    return [...groups.values()]
  }
}

/** Whether a decision has the limits of the policies. Those of a fallback are a share of them. */
export function isOfStore({ source }: Decision): boolean {
  return source === 'store' || source === 'local' || source === 'ahead'
}
