import type { Answer, AsyncStore, StoreRequest } from '../store.js'
import { failureOf } from './failure.js'

/**
 * Asks a store without a promise: `done` is given the answers, in the order of the requests, exactly once. What a layer does for each call it
 * does here once, and a decision costs one promise, whatever the number of layers.
 */
export type Run = (
  requests: readonly StoreRequest[],
  done: (answers: readonly Answer[]) => void,
  travel?: Travel,
) => void

/** What the layer that put a call together knows of it. */
export interface Travel {
  readonly lane: Lane | undefined
  /** The monotonic time at which its requests were asked, if they have waited for another call since. */
  readonly askedAt: number | undefined
}

/** Requests of one lane may travel in one call. */
export interface Lane {
  /** The lane that takes every request about the same keys, if this one does not. */
  readonly general?: Lane
}

/** By the method of the contract and not by the store: an object that is spread from a store, with a `run` of its own, is asked by that. */
const known = new WeakMap<AsyncStore['run'], Run>()

/** A store whose calls are answered by callback. */
export function storeOf(run: Run, { ping, close }: Pick<AsyncStore, 'ping' | 'close'>): AsyncStore {
  const store: AsyncStore = {
    async: true,
    run: (requests) => new Promise((resolve) => run(requests, resolve)),
    ping,
    close,
  }
  known.set(store.run, run)
  return store
}

/** Asks any store. One that an application has written answers with a promise. */
export function runOf(store: AsyncStore): Run {
  return known.get(store.run) ?? promised(store)
}

function promised(store: AsyncStore): Run {
  return function runPromised(requests, answered) {
    store.run(requests).then(answered, (reason: unknown) => {
      // The contract has no rejection.
      const error = failureOf('given', reason)
      answered(requests.map(() => error))
    })
  }
}
