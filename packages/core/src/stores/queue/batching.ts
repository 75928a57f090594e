import type { Batch, PendingRequest } from './pending.js'
import type { StoreRequest } from '../store.js'

/** How a store takes requests: which of them share a batch, and how many. */
export interface Batching<T> {
  /** Requests of one target may share a batch. Undefined: the request is sent alone. */
  targetOf(request: StoreRequest): T
  /** The keys of a request. Requests about one key are decided in the order in which they were made. */
  keysOf(request: StoreRequest): readonly string[]
  /**
   * The weight of a request in a batch. A request without weight always joins it.
   *
   * @param newKeys the number of its keys that the batch is not about
   */
  weightOf(request: StoreRequest, newKeys: number): number
  /** The most requests, and the largest weight, of one batch. */
  readonly mostRequests: number
  readonly mostWeight: number
  /**
   * The share of all waiting and pending requests that one batch takes. If one batch took all of them, the store and this process would wait for each
   * other in turn. Many small batches would cost more than a few large ones.
   */
  readonly share: number
  /** A smaller share is not worth a batch of its own. */
  readonly fewestRequests: number
  /**
   * The most batches under way, if they take turns: at most one of them is about a key, and later requests about that key wait. Undefined: any number, because
   * the server decides batches in the order in which they are sent.
   */
  readonly mostBatches: number | undefined
}

export interface Batches<T> {
  /** In the order in which they have to be sent. */
  readonly ready: readonly Batch<T>[]
  /** The requests that have to wait. */
  readonly waiting: PendingRequest[]
}

/**
 * Divides requests into batches. If batches take turns, it makes one at most.
 *
 * @param most the most requests of a batch
 * @param isBusy whether a key is under way, of batches that take turns
 */
export function batchesOf<T>(
  { targetOf, weightOf, mostWeight, mostBatches }: Batching<T>,
  requests: readonly PendingRequest[],
  most: number,
  isBusy: (key: string) => boolean,
): Batches<T> {
  const takeTurns = mostBatches !== undefined
  const ready: Batch<T>[] = []
  const waiting: PendingRequest[] = []
  /** The batches that are not full. */
  const filling = new Map<T, Batch<T>>()
  /** The last batch about each key. Null: the last request about it has to wait. */
  const about = new Map<string, Batch<T> | null>()

  function weightIn(batch: Batch<T>, { request, keys }: PendingRequest): number {
    let newKeys = 0
    for (let i = 0; i < keys.length; i++) {
      if (about.get(keys[i]) !== batch && keys.indexOf(keys[i]) === i) newKeys++
    }
    return weightOf(request, newKeys)
  }

  function hasSpace(batch: Batch<T>, pending: PendingRequest): boolean {
    const weight = weightIn(batch, pending)
    return weight === 0 || (batch.pending.length < most && batch.weight + weight <= mostWeight)
  }

  function close(batch: Batch<T> | null | undefined): void {
    if (!batch || filling.get(batch.target) !== batch) return
    filling.delete(batch.target)
    ready.push(batch)
  }

  function put(pending: PendingRequest, batch: Batch<T>): void {
    batch.weight += weightIn(batch, pending)
    batch.pending.push(pending)
    for (const key of pending.keys) about.set(key, batch)
    filling.set(batch.target, batch)
    if (batch.target === undefined) close(batch)
  }

  for (const pending of requests) {
    const { request, keys } = pending
    const target = targetOf(request)
    const batch = filling.get(target)
    const isFull = batch !== undefined && !hasSpace(batch, pending)
    if (takeTurns && (isFull || keys.some((key) => isBusy(key) || about.get(key) === null))) {
      waiting.push(pending)
      for (const key of keys) about.set(key, null)
      continue
    }
    // Those of other targets that are about one of its keys are sent before it.
    for (const key of keys) if (about.get(key) !== batch) close(about.get(key))
    if (isFull) close(batch)
    put(pending, filling.get(target) ?? newBatch(target))
  }
  return { ready: [...ready, ...filling.values()], waiting }
}

function newBatch<T>(target: T): Batch<T> {
  return { target, pending: [], weight: 0, sentAt: 0, open: 0, error: undefined }
}
