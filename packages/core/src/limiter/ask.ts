import { PendingRequest, submitOf } from '../stores/queue/pending.js'
import {
  isDecision,
  partOf,
  type Answer,
  type AsyncStore,
  type Reply,
  type State,
  type Store,
  type StoreRequest,
  type StoreResult,
  type SyncStore,
} from '../stores/store.js'
import { counts } from './limiter-policies.js'
import type { Fallback } from './fallback.js'

/** Runs requests, and reads their results: at once over a synchronous store, which throws its errors, and later over any other, of which a promise rejects. */
export interface Ask<S extends Store> {
  /** @param more the third argument of `read`. It is not part of a closure, because that takes a tenth of the time of a decision in memory. */
  one<Q extends StoreRequest, T, M>(
    request: Q,
    read: (request: Q, result: StoreResult, more: M | undefined) => T,
    more?: M,
  ): Reply<S, T>
  /** Each request is run for itself. */
  all<Q extends StoreRequest, T>(requests: readonly Q[], read: Read<Q, T>): Reply<S, T>
}

type Read<Q, T> = (answered: readonly Answered<Q>[]) => T

/** A request as it was decided, with its result. */
interface Answered<Q> {
  readonly request: Q
  readonly result: StoreResult
}

/** Whether one of the requests was allowed. */
export function isOneAllowed(answered: readonly Answered<StoreRequest>[]): boolean {
  return answered.some(({ result }) => result.allowed)
}

/**
 * @param fallbackOf makes what replaces the answers of an asynchronous store that fails
 * @param onChange called after each request that may have changed what a key counts, other than by a decision
 */
export function createAsk<S extends Store>(
  store: Store,
  fallbackOf: (store: AsyncStore) => Fallback,
  onChange: (request: StoreRequest) => void,
): Ask<S> {
  const ask = store.async
    ? askLater(store, fallbackOf(store), onChange)
    : askAtOnce(store, onChange)
  // The compiler cannot know that S is the type of this store.
  return ask as Ask<S>
}

function askAtOnce(store: SyncStore, onChange: (request: StoreRequest) => void): Ask<SyncStore> {
  function resultOf(request: StoreRequest): StoreResult {
    const counted = countedPart(request)
    const answer = counted.policies.length === 0 ? allowedUncounted : store.run(counted)
    if (!('allowed' in answer)) throw answer
    if (!isDecision(request)) onChange(request)
    return counted === request ? answer : resultFor(request, answer)
  }

  return {
    one: (request, read, more) => read(request, resultOf(request), more),
    all: (requests, read) =>
      read(requests.map((request) => ({ request, result: resultOf(request) }))),
  }
}

function askLater(
  store: AsyncStore,
  fallback: Fallback,
  onChange: (request: StoreRequest) => void,
): Ask<AsyncStore> {
  const submit = submitOf(store)

  function all<Q extends StoreRequest, T>(requests: readonly Q[], read: Read<Q, T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const answered: Answered<Q>[] = []
      const pending: PendingRequest[] = []
      let left = requests.length
      if (left === 0) resolve(read(answered))
      requests.forEach((request, i) => {
        const counted = countedPart(request)
        const { policies, source = 'store' } = counted
        function done(answer: Answer): void {
          try {
            const last = fallback.finalAnswer(counted, answer)
            if (!('allowed' in last)) throw last
            if (!isDecision(request)) onChange(request)
            const result = counted === request ? last : resultFor(request, last)
            answered[i] = { request: fallback.asDecided(request, result), result }
            if (--left === 0) resolve(read(answered))
          } catch (error) {
            reject(error)
          }
        }
        if (policies.length === 0) done(allowedUncounted)
        // Only the store that made a decision has its state.
        else if (source !== 'store' && source !== 'ahead') done(fallback.answerOf(counted))
        else pending.push(new PendingRequest(counted, done))
      })
      if (pending.length > 0) submit(pending)
    })
  }

  return {
    one: (request, read, more) =>
      all([request], ([answered]) => read(answered.request, answered.result, more)),
    all,
  }
}

/** The result of a request without a policy that counts. No store is asked. */
const allowedUncounted: StoreResult = { allowed: true, states: [] }

/** The part of a request that the store has to run: without the policies that count nothing, such as `unlimited`. */
function countedPart(request: StoreRequest): StoreRequest {
  const { policies } = request
  // A loop: with callbacks, this and the search for leases take a twentieth of a decision in memory.
  for (const policy of policies) {
    if (!counts(policy)) {
      const counted = [...policies.keys()].filter((i) => counts(policies[i]))
      return partOf(request, counted)
    }
  }
  return request
}

/** The state of a policy that counts nothing. */
const noState: State = { row: [], override: undefined, now: 0 }

/** The result with a state for each policy of the request, also for those that no store was asked for. */
function resultFor({ policies }: StoreRequest, result: StoreResult): StoreResult {
  let next = 0
  const states = policies.map((policy) => (counts(policy) ? result.states[next++] : noState))
  return { ...result, states }
}

/** Methods that reject where these throw: those of a limiter over an asynchronous store, for an invalid call. */
export function rejecting<M extends object>(methods: M): M {
  const rejects = { ...methods } as Record<string, (...args: unknown[]) => unknown>
  for (const [name, method] of Object.entries(rejects)) {
    rejects[name] = (...args) => {
      try {
        return method(...args)
      } catch (error) {
        return Promise.reject(error)
      }
    }
  }
  return rejects as M
}
