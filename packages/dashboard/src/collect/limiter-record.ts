import type { Decision, DecisionEvent, Policy } from '@sluice/core'
import { decidedPolicies } from './decided-policies.js'
import { clearSteps, createRing, type Ring } from './steps.js'
import type { DeniedPlaces } from './denied-keys.js'
import { RecentKeys } from './recent-keys.js'

/** A policy of a limiter, as decisions show it. */
export interface PolicyRecord {
  readonly name: string
  /** Policies of one group count by the same key. */
  group: number
  /** Undefined until it denies. */
  denied: Ring | undefined
  /** Denials that deny no request. Undefined until there is one. */
  wouldDeny: Ring | undefined
  /** The limit of the last decision of the store. Undefined until there is one. */
  limit: number | undefined
  /** The last step in which decisions have shown different limits. */
  variedAt: number | undefined
  /** The policy itself, for methods of limiters whose calls pass their policies. */
  policy: Policy | undefined
}

/** The decisions of one limiter in the last hour. */
export class LimiterRecord {
  readonly name: string
  readonly allowed: Ring = createRing()
  readonly denied: Ring = createRing()
  readonly exempt: Ring = createRing()
  /** Denials of shadow rules, of tags, and of dry runs. */
  readonly wouldDeny: Ring = createRing()
  readonly policies: Map<string, PolicyRecord> = new Map()
  readonly requests: RecentKeys
  readonly denials: RecentKeys
  readonly deniedPlaces: DeniedPlaces = new Map()
  /** Whether decisions have shown different limits of one policy. */
  hasVaried = false
  #groups = 0

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
    let first: PolicyRecord | undefined
    let firstKey: string | undefined
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
      if (first === undefined) {
        first = policy
        firstKey = keys[name]
      } else if (keys[name] !== firstKey) this.#joinByKey(keys, name, policy)
      else if (policy.group !== first.group) this.#join(first, policy)
    }
  }

  #add(name: string): PolicyRecord {
    const record: PolicyRecord = {
      name,
      group: this.#groups++,
      denied: undefined,
      wouldDeny: undefined,
      limit: undefined,
      variedAt: undefined,
      policy: undefined,
    }
    this.policies.set(name, record)
    return record
  }

  /** Joins a policy whose key is not that of the first policy with another one that counts by its key. */
  #joinByKey(keys: DecisionEvent['keys'], name: string, policy: PolicyRecord): void {
    for (const other in keys) {
      if (other === name) return
      const known = this.policies.get(other)
      if (known === undefined || keys[other] !== keys[name]) continue
      if (known.group !== policy.group) this.#join(known, policy)
      return
    }
  }

  #join(some: PolicyRecord, { group }: PolicyRecord): void {
    for (const policy of this.policies.values()) {
      if (policy.group === group) policy.group = some.group
    }
  }

  /** The names of the policies, by their groups. */
  groups(): string[][] {
    const groups = new Map<number, string[]>()
    for (const { name, group } of this.policies.values()) {
      const names = groups.get(group)
      if (names === undefined) groups.set(group, [name])
      else names.push(name)
    }
    return [...groups.values()]
  }

  clearSteps(after: number, to: number): void {
    const rings: (Ring | undefined)[] = [this.allowed, this.denied, this.exempt, this.wouldDeny]
    for (const { denied, wouldDeny } of this.policies.values()) rings.push(denied, wouldDeny)
    for (const ring of rings) if (ring !== undefined) clearSteps(ring, after, to)
  }
}

/** Whether a decision has the limits of the policies. Those of a fallback are a share of them. */
export function isOfStore({ source }: Decision): boolean {
  return source === 'store' || source === 'local'
}
