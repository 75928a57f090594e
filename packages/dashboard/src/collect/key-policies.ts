import type { Decision, DecisionEvent, Policy } from '@sluice/core'
import { decidedPolicies } from './decided-policies.js'
import { isOfStore } from './limiter-record.js'
import { ownText } from './own-text.js'

/** The most keys whose policies are kept. */
const mostKeys = 1000

/** Policies by their names. */
export type NamedPolicies = ReadonlyMap<string, Policy>

/** The policies of the last decision on each of some keys: requests of one limiter can have different limits, such as those of plans. */
export class KeyPolicies {
  readonly #last = new Map<string, NamedPolicies>()

  note(limiter: string, keys: DecisionEvent['keys'], decision: Decision): void {
    // A fallback allows a share of each limit.
    if (!isOfStore(decision)) return
    for (const { name, policy } of decidedPolicies(decision)) {
      const id = idOf(limiter, keys[name])
      const policies = new Map(this.#last.get(id)).set(name, policy)
      this.#last.delete(id)
      this.#last.set(ownText(id), policies)
    }
    for (const id of this.#last.keys()) {
      if (this.#last.size <= mostKeys) return
      this.#last.delete(id)
    }
  }

  get size(): number {
    return this.#last.size
  }

  of(limiter: string, key: string): NamedPolicies {
    return this.#last.get(idOf(limiter, key)) ?? new Map<string, Policy>()
  }
}

function idOf(limiter: string, key: string): string {
  return `${limiter}\0${key}`
}
