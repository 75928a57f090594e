import { enterOf, PendingRequest } from '../stores/pending.js'
import {
  partOf,
  costsAt,
  type StoreResult,
  type Reply,
  type Store,
  type StoreRequest,
  type BoundPolicy,
  type Cost,
  type DecisionRequest,
  type State,
} from '../stores/store.js'
import { counts, countedOf } from './bound-policies.js'
import type { Fallback } from './fallback.js'
import { AnsweredPolicy, type DecidedPolicy } from '../stores/compiled-policies.js'
import { repeated } from './arguments.js'
import type { DecidedCall, JoinedKeys } from './receipt.js'

/** Begins a call, which ends with `resolve` or `reject`, or throws. */
export type Begin<T> = (resolve: (value: T) => void, reject: (error: unknown) => void) => void

/** Runs requests on a store. With a synchronous store a call returns or throws at once. With an asynchronous store it returns a promise. */
export interface Dispatcher<S extends Store> {
  /** The result of a call. Over an asynchronous store an invalid call rejects, so the requests are made by `begin`. */
  reply<T>(begin: Begin<T>): Reply<S, T>
  ask(pending: readonly PendingRequest[]): void
  /** Runs the requests that `make` returns, and reads what each of them has done. */
  run<T>(
    make: () => readonly StoreRequest[],
    read: (results: readonly StoreResult[]) => T,
  ): Reply<S, T>
}

/** @param fallback replaces the answers of an asynchronous store that fails */
export function createDispatcher<S extends Store>(
  store: Store,
  fallback: Fallback | undefined,
): Dispatcher<S> {
  const enter = store.async ? enterOf(store) : undefined

  function ask(pending: readonly PendingRequest[]): void {
    const asked: PendingRequest[] = []
    for (const each of pending) {
      const { request } = each
      const { policies, source } = request
      // A request without a policy that counts is allowed without the store.
      if (policies.length === 0) each.done({ allowed: true, states: [] })
      // Only the store that made a decision has its state.
      else if (source !== undefined && source !== 'store' && fallback !== undefined) {
        each.done(fallback.answerOf(request))
      } else if (store.async) asked.push(each)
      else each.done(store.run(request))
    }
    if (asked.length > 0) enter?.(asked)
  }

  // The compiler cannot know that S is the type of this store.
  const reply = (store.async ? replyLater : replyAtOnce) as Dispatcher<S>['reply']

  return {
    reply,
    ask,
    run: (make, read) =>
      reply((resolve, reject) => {
        const requests = make().map(countedPart)
        const results: StoreResult[] = []
        let left = requests.length
        if (left === 0) resolve(read([]))
        ask(
          requests.map((request, i) => {
            return new PendingRequest(request, (given) => {
              const answer = fallback === undefined ? given : fallback.finalAnswer(request, given)
              if (!('allowed' in answer)) {
                reject(answer)
                return
              }
              results[i] = answer
              if (--left === 0) resolve(read(results))
            })
          }),
        )
      }),
  }
}

/** The part of a request that the store has to run: without the policies that count nothing, such as `unlimited`. */
function countedPart(request: StoreRequest): StoreRequest {
  const { policies } = request
  const counted = countedOf(policies)
  if (counted === policies) return request
  const indices = [...policies.keys()].filter((i) => counts(policies[i]))
  return { ...partOf(request, indices), policies: counted }
}

function replyAtOnce<T>(begin: Begin<T>): T {
  let result: readonly [T] | undefined
  begin(
    (value) => (result = [value]),
    (error) => {
      throw error
    },
  )
  if (result === undefined) throw new TypeError('a synchronous store did not answer')
  return result[0]
}

function replyLater<T>(begin: Begin<T>): Promise<T> {
  return new Promise(begin)
}

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
    const policies = this.#counted
    const keys = typeof key === 'string' ? repeated(key, policies.length) : this.#some(key)
    const asked = this.#positions === undefined ? cost : costsAt(cost, this.#positions)
    // Field by field: to spread an object into each request takes longer than to make the request.
    if (verb === 'consume') return { verb, policies, keys, now, lease, cost: asked, fresh }
    const request = { verb, policies, keys, now, lease, cost: asked }
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
