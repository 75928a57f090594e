import { processTime } from '../../clock.js'
import type { PendingRequest } from '../pending.js'
import type { Answer, StoreRequest } from '../store.js'

/** Requests of one lane may be sent in one batch. */
export type Lane = object

/** Requests that are sent together: a batch that is being filled, or is pending. */
// Its fields are declared only, because V8 runs their definitions as a function of their own.
export class Batch {
  /** Undefined for a single request without an order relative to others. */
  declare readonly lane: Lane | undefined
  declare readonly pending: PendingRequest[]
  /** The monotonic time at which its requests were made, if they have waited for another batch since. */
  declare readonly askedAt: number | undefined
  /** Receives the answers, in the order of the requests, or for each of them the error of the deadline. */
  declare readonly settle: (batch: Batch, answers: readonly Answer[]) => void
  /** The time, of `performance.now`, at which the batch has taken too long. */
  declare due: number
  declare isSettled: boolean
  declare weight: number
  /** The keys of its first `noted` requests. Most batches are never compared with others, and have none. */
  declare keys: Set<string> | undefined
  declare noted: number

  constructor(lane: Lane | undefined, first: PendingRequest, settle: Batch['settle']) {
    this.lane = lane
    this.pending = [first]
    this.askedAt = first.askedAt
    this.settle = settle
    this.due = 0
    this.isSettled = false
    this.weight = 0
    this.keys = undefined
    this.noted = 0
  }
}

/**
 * Keeps requests about one key in the order in which they were made. The store runs the batches of one lane in the order in which they are sent.
 * The order of batches in different lanes is unknown, because a batch may be sent again. So all pending requests about a key are in one lane. A
 * request for a different lane is deferred until those requests are answered.
 */
export interface Order {
  /** Returns the lane for this request. Undefined if the request is deferred. */
  laneFor(pending: PendingRequest, own: Lane): Lane | undefined
  add(batch: Batch): void
  /** Returns whether the batch was in this order. */
  remove(batch: Batch): boolean
  hasDeferred(): boolean
  /** Returns the deferred requests, followed by the later ones. The caller passes each of them to `laneFor`, which may defer it again. */
  takeDeferred(later: PendingRequest[]): PendingRequest[]
  /**
   * Returns the deferred requests that wait for this batch, because the store did not answer it and their time is up. Refunds have no deadline, so
   * they stay deferred.
   */
  failBehind(batch: Batch): readonly PendingRequest[]
}

export function createOrder(): Order {
  // Not a Set: after removals, a Set keeps its former items alive until the old generation is collected.
  const batches: Batch[] = []
  let deferred: PendingRequest[] = []
  const deferredKeys = new Set<string>()
  /** Read once for all requests that are deferred at the same time, so that they may be sent in one batch. */
  let deferredAt: number | undefined

  function defer(pending: PendingRequest, keys: readonly string[]): undefined {
    deferredAt ??= processTime.monotonic()
    pending.askedAt ??= deferredAt
    deferred.push(pending)
    for (const key of keys) deferredKeys.add(key)
  }

  function isAlone(own: Lane): boolean {
    for (let i = 0; i < batches.length; i++) if (batches[i].lane !== own) return false
    return deferredKeys.size === 0
  }

  return {
    laneFor(pending, own) {
      if (isAlone(own)) return own
      const keys = keysOf(pending.request)
      if (keys.some((key) => deferredKeys.has(key))) return defer(pending, keys)
      for (const batch of batches) {
        if (batch.lane !== own && isAbout(batch, keys)) return defer(pending, keys)
      }
      return own
    },

    add: (batch) => void batches.push(batch),
    remove(batch) {
      const at = batches.indexOf(batch)
      if (at !== -1) batches.splice(at, 1)
      return at !== -1
    },
    hasDeferred: () => deferred.length > 0,

    takeDeferred(later) {
      deferredAt = undefined
      const all = deferred.concat(later)
      deferred = []
      deferredKeys.clear()
      return all
    },

    failBehind(batch) {
      const failed: PendingRequest[] = []
      const all = deferred
      deferred = []
      deferredKeys.clear()
      for (const pending of all) {
        const keys = keysOf(pending.request)
        if (pending.request.verb !== 'refundReceipt' && isAbout(batch, keys)) failed.push(pending)
        else defer(pending, keys)
      }
      return failed
    },
  }
}

function isAbout(batch: Batch, keys: readonly string[]): boolean {
  const known = (batch.keys ??= new Set())
  // The batch may have more requests than at the last comparison.
  for (; batch.noted < batch.pending.length; batch.noted++) {
    for (const key of keysOf(batch.pending[batch.noted].request)) known.add(key)
  }
  return keys.some((key) => known.has(key))
}

function keysOf({ entries: [{ limiter }], keys }: StoreRequest): readonly string[] {
  return keys.map((key) => `${limiter}\0${key}`)
}
