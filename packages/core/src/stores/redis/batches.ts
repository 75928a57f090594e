import type { PendingRequest } from '../pending.js'
import { checkPhase } from '../pipeline/check-phase.js'
import type { StoreRequest } from '../store.js'
import type { Target, TargetOf } from './compiled-policies.js'

/** The most requests, and the largest weight, of one batch: no call should occupy Redis for more than about a millisecond. */
const mostRequests = 128
const mostWeight = 256

/** Logs and leases weigh more than a row, because each takes Redis commands of its own. */
const recordsWeight = 8

/**
 * The share of all waiting and pending requests that one batch takes. If one batch took all of them, the store and this process would wait for each
 * other in turn. Many small batches would cost more than a few large ones.
 */
const share = 1 / 2
const fewestRequests = 2

/** Requests that are sent together: a batch that is being filled, or is pending. */
// Its fields are declared only, because V8 runs their definitions as a function of their own.
export class Batch {
  /** Undefined for a single request without an order relative to others. */
  declare readonly target: Target | undefined
  declare readonly pending: PendingRequest[]
  declare readonly requests: StoreRequest[]
  declare weight: number
  /** The keys of its first `noted` requests. Most batches are never compared with others, and have none. */
  declare keys: Set<string> | undefined
  declare noted: number

  constructor(target: Target | undefined, first: PendingRequest) {
    this.target = target
    this.pending = [first]
    this.requests = [first.request]
    this.weight = 0
    this.keys = undefined
    this.noted = 0
  }
}

/**
 * Batches the requests of all sockets and limiters of a store. If no batch is pending, a request is sent immediately. Otherwise it is sent in
 * the check phase of the event loop, which follows every read from a socket; a batch that ends with a microtask would contain one request.
 * Requests about one key run in the order in which they were made, because a client keeps the order of its calls: none waits for the answer to
 * another. Batching adds no counting error.
 */
export interface Batches {
  /** Adds a request to those that `flush` sends. */
  add(pending: PendingRequest): void
  /** Sends the requests that wait, or lets them wait for the check phase. */
  flush(): void
  /** Notes that requests have been answered. */
  end(pending: readonly PendingRequest[]): void
}

/** @param isRequestBound whether requests that were not flushed together must be sent in separate calls */
export function createBatches(
  targetOf: TargetOf,
  isRequestBound: boolean,
  send: (batch: Batch) => void,
): Batches {
  let waiting: PendingRequest[] = []
  /** The number of requests that have not been answered. */
  let open = 0
  let isScheduled = false

  function sendAll(): void {
    isScheduled = false
    const all = waiting
    waiting = []
    if (all.length === 1) {
      send(new Batch(targetOf(all[0].request), all[0]))
      return
    }
    const size = Math.ceil(open * (isRequestBound ? 1 : share))
    const most = Math.min(mostRequests, Math.max(fewestRequests, size))
    const filling = new Map<Target, Batch>()
    for (const pending of all) {
      const target = targetOf(pending.request)
      if (target === undefined) {
        send(new Batch(undefined, pending))
        continue
      }
      let batch = filling.get(target)
      for (const [otherTarget, other] of filling) {
        if (otherTarget === target || !isAbout(other, pending)) continue
        filling.delete(otherTarget)
        send(other)
      }
      const weight = weightOf(pending.request)
      const isFull =
        batch !== undefined && (batch.pending.length >= most || batch.weight + weight > mostWeight)
      if (batch === undefined || isFull) {
        if (batch !== undefined) send(batch)
        batch = new Batch(target, pending)
        filling.set(target, batch)
      } else {
        batch.pending.push(pending)
        batch.requests.push(pending.request)
      }
      batch.weight += weight
    }
    for (const batch of filling.values()) send(batch)
  }

  return {
    add(pending) {
      waiting.push(pending)
      open++
    },

    flush() {
      if (waiting.length === 0 || isScheduled) return
      if (isRequestBound || open === waiting.length) sendAll()
      else {
        isScheduled = true
        checkPhase(sendAll)
      }
    },

    end: (pending) => void (open -= pending.length),
  }
}

/** Whether a batch has a request about one of the keys of another request. */
function isAbout(batch: Batch, { request }: PendingRequest): boolean {
  const known = (batch.keys ??= new Set())
  // The batch may have more requests than at the last comparison.
  for (; batch.noted < batch.pending.length; batch.noted++) {
    for (const key of keysOf(batch.requests[batch.noted])) known.add(key)
  }
  return keysOf(request).some((key) => known.has(key))
}

function keysOf({ policies: [{ limiter }], keys }: StoreRequest): readonly string[] {
  return keys.map((key) => `${limiter}\0${key}`)
}

function weightOf({ policies }: StoreRequest): number {
  let weight = 0
  for (const { steps } of policies) weight += steps.records !== undefined ? recordsWeight : 1
  return weight
}
