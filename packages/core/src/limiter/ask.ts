import { enterOf, PendingRequest } from '../stores/pending.js'
import {
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
  /** @param about what `read` needs besides. It is no closure, because that takes a tenth of the time of a decision in memory. */
  one<Q extends StoreRequest, A, T>(
    request: Q,
    read: (result: StoreResult, request: Q, about: A) => T,
    about?: A,
  ): Reply<S, T>
  /** Each request is run for itself. */
  all<T>(
    requests: readonly StoreRequest[],
    read: (results: readonly StoreResult[]) => T,
  ): Reply<S, T>
}

/** @param fallback replaces the answers of an asynchronous store that fails */
export function createAsk<S extends Store>(store: Store, fallback: Fallback | undefined): Ask<S> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the compiler cannot know that S is the type of this store
  return (store.async ? askLater(store, fallback) : askAtOnce(store)) as Ask<S>
}

function askAtOnce(store: SyncStore): Ask<SyncStore> {
  function resultOf(request: StoreRequest): StoreResult {
    const part = countedPart(request)
    const answer = part.policies.length === 0 ? nothingDone : store.run(part)
    if (!('allowed' in answer)) throw answer
    return part === request ? answer : resultFor(request, answer)
  }

  return {
    one: (request, read, about) => read(resultOf(request), request, about as never),
    all: (requests, read) => read(requests.map(resultOf)),
  }
}

function askLater(store: AsyncStore, fallback: Fallback | undefined): Ask<AsyncStore> {
  const enter = enterOf(store)

  function all<T>(
    requests: readonly StoreRequest[],
    read: (results: readonly StoreResult[]) => T,
  ): Promise<T> {
    return new Promise((resolve, reject) => {
      const results: StoreResult[] = []
      const asked: PendingRequest[] = []
      let left = requests.length
      if (left === 0) resolve(read(results))
      requests.forEach((request, i) => {
        const part = countedPart(request)
        const { policies, source = 'store' } = part
        function done(answer: Answer): void {
          try {
            const last = fallback === undefined ? answer : fallback.finalAnswer(part, answer)
            if (!('allowed' in last)) throw last
            results[i] = part === request ? last : resultFor(request, last)
            if (--left === 0) resolve(read(results))
          } catch (error) {
            reject(error)
          }
        }
        if (policies.length === 0) done(nothingDone)
        // Only the store that made a decision has its state.
        else if (source !== 'store' && fallback !== undefined) done(fallback.answerOf(part))
        else asked.push(new PendingRequest(part, done))
      })
      if (asked.length > 0) enter(asked)
    })
  }

  return {
    one: (request, read, about) => {
      return all([request], ([result]) => read(result, request, about as never))
    },
    all,
  }
}

/** The result of a request without a policy that counts. No store is asked. */
const nothingDone: StoreResult = { allowed: true, states: [] }

/** The part of a request that the store has to run: without the policies that count nothing, such as `unlimited`. */
function countedPart(request: StoreRequest): StoreRequest {
  const { policies } = request
  for (let i = 0; i < policies.length; i++) {
    if (!counts(policies[i])) return withoutUncounted(request)
  }
  return request
}

function withoutUncounted(request: StoreRequest): StoreRequest {
  const { policies } = request
  const counted = [...policies.keys()].filter((i) => counts(policies[i]))
  return partOf(request, counted)
}

/** The state of a policy that counts nothing. */
const noState: State = { row: [], override: undefined, now: 0 }

/** The result with a state for each policy of the request, also for those that no store was asked for. */
function resultFor({ policies }: StoreRequest, result: StoreResult): StoreResult {
  let next = 0
  const states = policies.map((policy) => (counts(policy) ? result.states[next++] : noState))
  return { ...result, states }
}
