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
 * Asks a store in the store's own manner: over a synchronous one a call answers or throws at once, over the others all of it happens in a
 * promise, a mistake in the question included. Therefore it is given what makes the request, with its arguments.
 */
export interface Dispatcher<S extends Store> {
  run<A, B, C, Q extends StoreRequest, T>(
    make: (a: A, b: B, c?: C) => Q,
    read: Read<Q, T>,
    a: A,
    b: B,
    c?: C,
  ): Reply<S, T>
  runMany<A, Q extends StoreRequest, T>(
    make: (a: A) => readonly Q[],
    read: Read<Q, T>,
    a: A,
  ): Reply<S, readonly T[]>
}

export function createDispatcher<S extends Store>(store: Store): Dispatcher<S> {
  // That S is the type of this very store is beyond the compiler.
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
    runMany: (make, read, a) => make(a).map((request) => read(run(request), request)),
  }
}

/** A promise for each call, and none for each request or layer of the store. */
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
    runMany: (make, read, a) =>
      new Promise((resolve, reject) => {
        const requests = make(a)
        const parts = requests.map(countedPart)
        function settle(answers: readonly Answer[]): void {
          let next = 0
          try {
            resolve(
              requests.map((request, i) => {
                const answer = asksAnything(parts[i]) ? answers[next++] : nothingAsked
                return read(wholeOutcome(settled(answer), request), request)
              }),
            )
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

/** A request without any policy that counts needs no store: it is allowed. */
function asksAnything({ entries }: StoreRequest): boolean {
  return entries.length > 0
}

const nothingAsked: Outcome = { allowed: true, states: [] }

function settled(answer: Answer): Outcome {
  if ('allowed' in answer) return answer
  throw answer
}
