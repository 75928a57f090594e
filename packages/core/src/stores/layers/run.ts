import type { Answer, AsyncStore, StoreRequest } from '../store.js'
import { failureOf } from './failure.js'

/**
 * Runs requests in a store by callback: `done` receives the answers, in the order of the requests, exactly once. A promise in each layer would
 * cost several for each decision; this way a decision costs one promise, for any number of layers.
 */
export type Run = (
  requests: readonly StoreRequest[],
  done: (answers: readonly Answer[]) => void,
  info?: CallInfo,
) => void

/** Information about a call from the batching layer. */
export interface CallInfo {
  readonly lane: Lane | undefined
  /** The monotonic time at which its requests were made, if they have waited for another call since. */
  readonly askedAt: number | undefined
}

/** Requests of one lane may be sent in one call. */
export type Lane = object

/** Keyed by the `run` method and not by the store: an object that is spread from a store may have a `run` of its own, which must be called. */
const known = new WeakMap<AsyncStore['run'], Run>()

/** Creates a store from a function with a callback. */
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

/** Returns the callback form of any store. A store that an application has written answers with a promise. */
export function runOf(store: AsyncStore): Run {
  return known.get(store.run) ?? promised(store)
}

function promised(store: AsyncStore): Run {
  return function runPromised(requests, answered) {
    store.run(requests).then(answered, (reason: unknown) => {
      // The contract allows no rejection.
      const error = failureOf('given', reason)
      answered(requests.map(() => error))
    })
  }
}
