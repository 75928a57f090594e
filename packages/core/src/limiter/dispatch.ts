import { runOf } from '../stores/layers/run.js'
import { countedPart, wholeOutcome } from './counted-policies.js'
import type {
  Answer,
  AsyncStore,
  Outcome,
  Reply,
  Store,
  StoreRequest,
  SyncStore,
} from '../stores/store.js'

type Read<Q extends StoreRequest, T> = (outcome: Outcome, request: Q) => T

/**
 * Runs requests on a store. With a synchronous store a call returns or throws at once. With an asynchronous store it returns a promise, which also
 * rejects for an invalid call: this is why a dispatcher receives the function that makes the request, and its arguments, instead of the request.
 */
export interface Dispatcher<S extends Store> {
  run<A, B, C, Q extends StoreRequest, T>(
    make: (a: A, b: B, c?: C) => Q,
    read: Read<Q, T>,
    a: A,
    b: B,
    c?: C,
  ): Reply<S, T>
  /** Reads the outcome of each request, and combines what was read. */
  runMany<A, Q extends StoreRequest, T, R>(
    make: (a: A) => readonly Q[],
    read: Read<Q, T>,
    combine: (results: readonly T[]) => R,
    a: A,
  ): Reply<S, R>
}

export function createDispatcher<S extends Store>(store: Store): Dispatcher<S> {
  // The compiler cannot know that S is the type of this store.
  return (store.async ? dispatchLater(store) : dispatchAtOnce(store)) as Dispatcher<S>
}

function dispatchAtOnce(store: SyncStore): Dispatcher<SyncStore> {
  function run(request: StoreRequest): Outcome {
    const part = countedPart(request)
    return wholeOutcome(settled(asksAnything(part) ? store.run(part) : nothingAsked), request)
  }

  return {
    run(make, read, a, b, c) {
      const request = make(a, b, c)
      return read(run(request), request)
    },
    runMany: (make, read, combine, a) =>
      combine(make(a).map((request) => read(run(request), request))),
  }
}

/** Makes one promise for each call of a method, and none for each request or layer. */
function dispatchLater(store: AsyncStore): Dispatcher<AsyncStore> {
  const ask = runOf(store)

  return {
    run: (make, read, a, b, c) =>
      new Promise((resolve, reject) => {
        const request = make(a, b, c)
        const part = countedPart(request)
        function settle(answer: Answer): void {
          try {
            resolve(read(wholeOutcome(settled(answer), request), request))
          } catch (error) {
            reject(error)
          }
        }
        if (asksAnything(part)) ask([part], ([answer]) => settle(answer))
        else settle(nothingAsked)
      }),
    runMany: (make, read, combine, a) =>
      new Promise((resolve, reject) => {
        const requests = make(a)
        const parts = requests.map(countedPart)
        function settle(answers: readonly Answer[]): void {
          let next = 0
          try {
            const results = requests.map((request, i) => {
              const answer = asksAnything(parts[i]) ? answers[next++] : nothingAsked
              return read(wholeOutcome(settled(answer), request), request)
            })
            resolve(combine(results))
          } catch (error) {
            reject(error)
          }
        }
        const asked = parts.filter(asksAnything)
        if (asked.length > 0) ask(asked, settle)
        else settle([])
      }),
  }
}

/** A request without a policy that counts is allowed without the store. */
function asksAnything({ entries }: StoreRequest): boolean {
  return entries.length > 0
}

const nothingAsked: Outcome = { allowed: true, states: [] }

function settled(answer: Answer): Outcome {
  if ('allowed' in answer) return answer
  throw answer
}
