import { failureOf } from './failure.js'
import type { Answer, AsyncStore, StoreRequest } from './store.js'

/** A request on its way through a store that answers later. */
// Its fields are declared only, because V8 runs their definitions as a function of their own.
export class PendingRequest {
  declare readonly request: StoreRequest
  /** Receives the answer, once. */
  declare readonly done: (answer: Answer) => void
  /** The number of the last change of its limiter's counts before the request. */
  declare generation: number

  constructor(request: StoreRequest, done: (answer: Answer) => void) {
    this.request = request
    this.done = done
    this.generation = 0
  }
}

/**
 * Passes requests to a store. Each of them receives its own answer. A promise in each part of a store would cost several for each decision; this way a
 * decision costs one promise.
 */
export type Enter = (pending: readonly PendingRequest[]) => void

/** Keyed by the `run` method and not by the store: an object that is spread from a store may have a `run` of its own, which must be called. */
const known = new WeakMap<AsyncStore['run'], Enter>()

/** Creates a store whose requests receive their answers by callback. */
export function storeOf(
  enter: Enter,
  { ping, close }: Pick<AsyncStore, 'ping' | 'close'>,
): AsyncStore {
  const store: AsyncStore = {
    async: true,
    run: (requests) =>
      new Promise((resolve) => {
        const answers: Answer[] = []
        let left = requests.length
        if (left === 0) resolve(answers)
        else {
          enter(
            requests.map((request, i) => {
              return new PendingRequest(request, (answer) => {
                answers[i] = answer
                if (--left === 0) resolve(answers)
              })
            }),
          )
        }
      }),
    ping,
    close,
  }
  known.set(store.run, enter)
  return store
}

/** Returns the callback form of any store. A store that an application has written answers with a promise. */
export function enterOf(store: AsyncStore): Enter {
  return known.get(store.run) ?? promised(store)
}

function promised(store: AsyncStore): Enter {
  return function enterPromised(pending) {
    function answer(answers: readonly Answer[]): void {
      for (let i = 0; i < pending.length; i++) pending[i].done(answers[i])
    }

    store.run(pending.map(({ request }) => request)).then(answer, (reason: unknown) => {
      // The contract allows no rejection.
      const error = failureOf('given', reason)
      answer(pending.map(() => error))
    })
  }
}
