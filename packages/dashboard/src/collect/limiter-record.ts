import type { Policy } from '@sluice/core'
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
  limit: number | undefined
  /** The policy itself, for methods of limiters whose calls pass their policies. */
  policy: Policy | undefined
}

/** The decisions of one limiter in the last hour. */
export class LimiterRecord {
  readonly name: string
  readonly allowed: Ring = createRing()
  readonly denied: Ring = createRing()
  readonly exempt: Ring = createRing()
  readonly policies: Map<string, PolicyRecord> = new Map()
  readonly requests: RecentKeys
  readonly denials: RecentKeys
  readonly deniedPlaces: DeniedPlaces = new Map()
  #groups = 0

  constructor(name: string, now: number) {
    this.name = name
    this.requests = new RecentKeys(now)
    this.denials = new RecentKeys(now)
  }

  /** Takes a policy that a decision names for the first time. */
  addPolicy(name: string): PolicyRecord {
    const record: PolicyRecord = {
      name,
      group: this.#groups++,
      denied: undefined,
      limit: undefined,
      policy: undefined,
    }
    this.policies.set(name, record)
    return record
  }

  /** Joins the groups of two policies, because a decision counted both by one key. */
  join(some: PolicyRecord, other: PolicyRecord): void {
    const { group } = other
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
    for (const ring of [this.allowed, this.denied, this.exempt]) clearSteps(ring, after, to)
    for (const { denied } of this.policies.values()) {
      if (denied !== undefined) clearSteps(denied, after, to)
    }
  }
}
