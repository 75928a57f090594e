import type { Algorithm, Params, Row } from '../algorithms/algorithm.js'
import type { SluiceError } from '../errors.js'

/** One policy of one limiter: what a store needs to find its state and to step it. */
export interface Entry {
  /** The limiter's name: the namespace of its counters. */
  readonly limiter: string
  /** The policy's name within the limiter. */
  readonly name: string
  readonly steps: Algorithm
  readonly params: Params
}

/** One question to a store. `keys[i]` is whose state `entries[i]` counts in; all entries belong to one limiter. */
export interface StoreRequest {
  /** `consume` decides and counts, `peek` only looks, `reset` forgets. */
  readonly verb: 'consume' | 'peek' | 'reset'
  readonly entries: readonly Entry[]
  readonly keys: readonly string[]
  readonly cost: number
  /** The time of an injected clock, which then rules instead of the store's own. */
  readonly now: number | undefined
}

/** What became of a request. */
export interface Outcome {
  /** Whether every entry allowed. If so, and only then, each of them has counted the cost. */
  readonly allowed: boolean
  /** The state of each entry, after the decision, brought up to `now`. A `reset` leaves this empty. */
  readonly rows: readonly Row[]
  /** The time by which it was decided. */
  readonly now: number
  /** The same for entries that follow the wall; it differs from `now` only where the machine's clock was set. */
  readonly wall: number
}

/** A failure is the answer of the request that failed, and of no other. */
export type Answer = Outcome | SluiceError

/**
 * Where the counts live. A store runs each request all or nothing: it looks at all entries first, and takes only if all of them
 * allow. It knows no particular algorithm; it loads rows, calls their steps, and keeps what they wrote until `ends`.
 */
export interface SyncStore {
  readonly async: false
  /** Answers the requests in their order, at once. */
  run(requests: readonly StoreRequest[]): readonly Answer[]
  close(): void
}

export interface AsyncStore {
  readonly async: true
  /** Answers the requests in their order. It never rejects. */
  run(requests: readonly StoreRequest[]): Promise<readonly Answer[]>
  close(): Promise<void>
}

export type Store = SyncStore | AsyncStore

/** What a method answers over a store: at once over a synchronous one, a promise over the others, either if it is not known. */
export type Reply<S extends Store, T> = S extends SyncStore ? T : Promise<T>
