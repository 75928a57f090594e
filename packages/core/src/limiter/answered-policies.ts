import { AnsweredPolicy, type DecidedPolicy } from '../stores/compiled-policies.js'
import {
  costsAt,
  type BoundPolicy,
  type Cost,
  type DecisionRequest,
  type State,
} from '../stores/store.js'
import { counts, countedOf, repeated } from './bound-policies.js'
import type { DecidedCall, JoinedKeys } from './receipts/call-receipt.js'

/** Policies that a store decides by requests. Its answers fill them, so that their decision is read as that of any compiled policies. */
export class AnsweredPolicies {
  readonly decided: readonly DecidedPolicy[]
  /** The policies that the store decides, and where its answers are put. */
  readonly #counted: readonly BoundPolicy[]
  readonly #answered: readonly AnsweredPolicy[]
  /** The positions of the counted policies, if some count nothing. */
  readonly #positions: readonly number[] | undefined

  constructor(policies: readonly BoundPolicy[]) {
    const all = policies.map((policy) => new AnsweredPolicy(policy))
    const positions = [...policies.keys()].filter((i) => counts(policies[i]))
    this.decided = all
    this.#counted = countedOf(policies)
    this.#answered = positions.map((i) => all[i])
    this.#positions = positions.length === policies.length ? undefined : positions
  }

  /** Whether the store has to be asked. */
  get isCounted(): boolean {
    return this.#counted.length > 0
  }

  /** The request for those policies that have a state. `fresh` and `fromCounts`: as in the request. */
  requestOf(
    { verb, lease, now }: DecidedCall,
    key: JoinedKeys,
    cost: Cost,
    fresh: boolean,
    fromCounts: boolean,
  ): DecisionRequest {
    const entries = this.#counted
    const keys = typeof key === 'string' ? repeated(key, entries.length) : this.#some(key)
    const asked = this.#positions === undefined ? cost : costsAt(cost, this.#positions)
    // Field by field: to spread an object into each request takes longer than to make the request.
    if (verb === 'consume') return { verb, entries, keys, now, lease, cost: asked, fresh }
    const request = { verb, entries, keys, now, lease, cost: asked }
    return fromCounts ? { ...request, fromCounts } : request
  }

  #some(keys: readonly string[]): readonly string[] {
    return this.#positions === undefined ? keys : this.#positions.map((i) => keys[i])
  }

  fill(states: readonly State[]): void {
    const answered = this.#answered
    for (let i = 0; i < answered.length; i++) answered[i].read(states[i])
  }
}
