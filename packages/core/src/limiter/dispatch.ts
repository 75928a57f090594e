import { enterOf, PendingRequest } from '../stores/pending.js'
import { partOf, type Outcome, type Reply, type Store, type StoreRequest } from '../stores/store.js'
import { counts, countedOf } from './bound-policies.js'
import type { Fallback } from './fallback.js'

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
    read: (outcomes: readonly Outcome[]) => T,
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
      const { entries, source } = request
      // A request without a policy that counts is allowed without the store.
      if (entries.length === 0) each.done({ allowed: true, states: [] })
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
        const outcomes: Outcome[] = []
        let left = requests.length
        if (left === 0) resolve(read([]))
        ask(
          requests.map((request, i) => {
            return new PendingRequest(request, (given) => {
              const answer = fallback === undefined ? given : fallback.settled(request, given)
              if (!('allowed' in answer)) {
                reject(answer)
                return
              }
              outcomes[i] = answer
              if (--left === 0) resolve(read(outcomes))
            })
          }),
        )
      }),
  }
}

/** The part of a request that the store has to run: without the policies that count nothing, such as `unlimited`. */
function countedPart(request: StoreRequest): StoreRequest {
  const { entries } = request
  const counted = countedOf(entries)
  if (counted === entries) return request
  const indices = [...entries.keys()].filter((i) => counts(entries[i]))
  return { ...partOf(request, indices), entries: counted }
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
