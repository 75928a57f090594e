import { isUnavailable } from '../failure.js'
import type { PendingRequest } from '../pending.js'
import { checkPhase } from '../pipeline/check-phase.js'
import type { Answer, StoreRequest } from '../store.js'
import { Batch, createOrder, type Lane } from './order.js'

/** The most requests, and the largest weight, of one batch: no call should occupy Redis for more than about a millisecond. */
const mostRequests = 128
const mostWeight = 256

/** Logs and leases weigh more than a row, because each takes Redis commands of its own. */
const bodyWeight = 8

/**
 * The share of all waiting and pending requests that one batch takes. If one batch took all of them, the store and this process would wait for each
 * other in turn. Many small batches would cost more than a few large ones.
 */
const share = 1 / 2
const fewestRequests = 2

/** Returns undefined for a request that is sent in a call of its own, without an order relative to others. */
export type LaneOf = (request: StoreRequest) => Lane | undefined

/**
 * Batches the requests of all sockets and limiters of a store. If no batch is pending, a request is sent immediately. Otherwise it is sent in
 * the check phase of the event loop, which follows every read from a socket; a batch that ends with a microtask would contain one request. A
 * request waits for another lane only if that lane has a request about the same key, because one master of a Cluster may be unavailable.
 * Requests about one key run in the order in which they were made. Batching adds no counting error.
 */
export interface Batches {
  /** Adds a request to those that `flush` sends. */
  add(pending: PendingRequest): void
  /** Sends the requests that wait, or lets them wait for the check phase. */
  flush(): void
  /** Ends a batch, and sends the requests that waited for it later. Returns those that fail with it because the store is unavailable. */
  end(batch: Batch, answers: readonly Answer[]): readonly PendingRequest[]
}

/** @param send sends a batch, which later ends with `settle` */
export function createBatches(
  laneOf: LaneOf,
  send: (batch: Batch) => void,
  settle: Batch['settle'],
): Batches {
  const order = createOrder()
  let waiting: PendingRequest[] = []
  let underWay = 0
  let isScheduled = false

  function schedule(): void {
    if (isScheduled) return
    isScheduled = true
    checkPhase(sendAll)
  }

  function sendAll(): void {
    isScheduled = false
    const all = order.hasDeferred() ? order.takeDeferred(waiting) : waiting
    waiting = []
    if (all.length === 1) {
      sendOne(all[0])
      return
    }
    const size = Math.ceil((all.length + underWay) * share)
    const most = Math.min(mostRequests, Math.max(fewestRequests, size))
    const open = new Map<Lane, Batch>()
    for (const pending of all) {
      const own = laneOf(pending.request)
      if (own === undefined) {
        start(new Batch(undefined, pending, settle))
        continue
      }
      const lane = order.laneFor(pending, own)
      if (lane === undefined) continue
      const weight = weightOf(pending.request)
      let batch = open.get(lane)
      const isFull =
        batch !== undefined && (batch.pending.length >= most || batch.weight + weight > mostWeight)
      // A request that was deferred is closer to its deadline than others.
      if (batch === undefined || isFull || batch.askedAt !== pending.askedAt) {
        if (batch !== undefined) start(batch)
        batch = new Batch(lane, pending, settle)
        open.set(lane, batch)
        order.add(batch)
      } else batch.pending.push(pending)
      batch.weight += weight
    }
    for (const batch of open.values()) start(batch)
  }

  /** The same for a single request, without the maps of a batch. */
  function sendOne(pending: PendingRequest): void {
    const own = laneOf(pending.request)
    const lane = own === undefined ? undefined : order.laneFor(pending, own)
    // The order has deferred the request.
    if (own !== undefined && lane === undefined) return
    const batch = new Batch(lane, pending, settle)
    if (lane !== undefined) order.add(batch)
    start(batch)
  }

  function start(batch: Batch): void {
    underWay += batch.pending.length
    send(batch)
  }

  return {
    add: (pending) => void waiting.push(pending),

    flush() {
      if (waiting.length === 0) return
      if (underWay > 0 || order.hasDeferred()) schedule()
      else if (!isScheduled) sendAll()
    },

    end(batch, answers) {
      underWay -= batch.pending.length
      const isOrdered = order.remove(batch)
      if (!order.hasDeferred()) return none
      schedule()
      return isOrdered && answers.every(isUnavailable) ? order.failBehind(batch) : none
    },
  }
}

const none: readonly PendingRequest[] = []

function weightOf({ entries }: StoreRequest): number {
  let weight = 0
  for (const { steps } of entries) weight += steps.bodied === true ? bodyWeight : 1
  return weight
}
