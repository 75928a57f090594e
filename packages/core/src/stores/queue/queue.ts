import { processTime } from '../../clock.js'
import type { Batch, PendingRequest } from './pending.js'
import { batchesOf, type Batching } from './batching.js'

/** The functions that a queue calls. */
export interface QueueEnds<T> {
  /** Sends a batch. If batches take turns, it returns a promise that resolves when the server no longer works on the batch. */
  send(batch: Batch<T>): Promise<void> | undefined
  /** Answers requests whose time is over. */
  expire(late: readonly PendingRequest[]): void
}

/**
 * Batches the requests of all sockets and limiters of a store. If no request is under way, a request is sent immediately. Otherwise it is sent in the check
 * phase of the event loop, which follows every read from a socket; a batch that ends with a microtask would contain one request.
 */
export interface Queue {
  /** Sends requests, or lets them wait for others. They expire when the timeout is over. */
  submit(pending: readonly PendingRequest[]): void
  /** Notes that requests have been answered. */
  complete(pending: readonly PendingRequest[]): void
}

/** A batch without a reply no longer counts after this time: a client that never settles it must not prevent recovery. */
const forgottenAfterMs = 30_000

export function createQueue<T>(
  batching: Batching<T>,
  timeoutMs: number,
  { send, expire }: QueueEnds<T>,
): Queue {
  const { keysOf, share, fewestRequests, mostRequests, mostBatches = Infinity } = batching
  let waiting: PendingRequest[] = []
  /** The requests that have not been answered, in the order of their deadlines, and some that have been. */
  // No Set: at each growth it would leave a table of dead requests, which keep each other alive until the next full garbage collection.
  let submitted: PendingRequest[] = []
  let open = 0
  /** Fires at the first deadline. It keeps the process alive. */
  let timer: ReturnType<typeof setTimeout> | undefined
  let isScheduled = false
  /** Of batches that take turns: those under way, and the last request about each of their keys. */
  const underWay = new Set<Batch<T>>()
  const lastAbout = new Map<string, PendingRequest>()

  function isFull(): boolean {
    if (underWay.size < mostBatches) return false
    const forgotten = performance.now() - forgottenAfterMs
    for (const batch of underWay) if (batch.sentAt <= forgotten) underWay.delete(batch)
    return underWay.size >= mostBatches
  }

  function schedule(): void {
    if (isScheduled || waiting.length === 0 || isFull()) return
    isScheduled = true
    checkPhase(sendWaiting)
  }

  function sendWaiting(): void {
    isScheduled = false
    const most = Math.min(mostRequests, Math.max(fewestRequests, Math.ceil(open * share)))
    const batches = batchesOf(batching, waiting, most, (key) => lastAbout.has(key))
    waiting = batches.waiting
    for (const batch of batches.ready) start(batch)
    if (batches.ready.length > 0) schedule()
  }

  function start(batch: Batch<T>): void {
    batch.sentAt = performance.now()
    const end = send(batch)
    if (end !== undefined) void takeTurn(batch, end)
  }

  async function takeTurn(batch: Batch<T>, end: Promise<void>): Promise<void> {
    underWay.add(batch)
    for (const pending of batch.pending) for (const key of pending.keys) lastAbout.set(key, pending)
    await end
    underWay.delete(batch)
    schedule()
  }

  function watch(): void {
    const { dueAt } = submitted[0]
    const leftMs = Math.max(0, dueAt - processTime.monotonic())
    // If the event loop was blocked for long, the timer fires before the replies that have arrived are read. They are in time.
    timer = setTimeout(() => checkPhase(() => expireUntil(dueAt)), leftMs)
  }

  function expireUntil(dueAt: number): void {
    // A timer can fire a little early, and a replaced clock can stop.
    const until = Math.max(dueAt, processTime.monotonic())
    const late = submitted.filter((pending) => isOpen(pending) && pending.dueAt <= until)
    waiting = waiting.filter((pending) => pending.dueAt > until)
    if (late.length > 0) expire(late)
    submitted = submitted.filter(isOpen)
    clearTimeout(timer)
    if (open > 0) watch()
  }

  return {
    submit(pending) {
      const dueAt = processTime.monotonic() + timeoutMs
      const isFirst = open === 0
      for (const one of pending) {
        one.dueAt = dueAt
        one.keys = keysOf(one.request)
        submitted.push(one)
        waiting.push(one)
      }
      open += pending.length
      if (isFirst) watch()
      const isAlone = open === waiting.length
      if (isAlone && !isScheduled && !isFull()) sendWaiting()
      else schedule()
    },

    complete(pending) {
      open -= pending.length
      for (const one of pending) {
        for (const key of one.keys) if (lastAbout.get(key) === one) lastAbout.delete(key)
      }
      if (open === 0) clearTimeout(timer)
      if (submitted.length >= 2 * open) submitted = submitted.filter(isOpen)
      schedule()
    },
  }
}

/** Whether a request has not been answered. */
export function isOpen({ isAnswered }: PendingRequest): boolean {
  return !isAnswered
}

/** Runs a function in the check phase of the event loop, after the sockets have been read. Some platforms refuse to call their timers as methods. */
export const checkPhase: (then: () => void) => void = (() =>
  globalThis.setImmediate ?? setTimeout)()
