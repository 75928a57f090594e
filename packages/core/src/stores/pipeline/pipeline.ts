import { sluiceError } from '../../errors.js'
import { hasFailed, PendingRequest, storeOf, type Batch } from '../queue/pending.js'
import { storeEvents } from '../events.js'
import { Kept } from '../kept.js'
import { refundsOf, type Answer, type AsyncStore } from '../store.js'
import type { Batching } from '../queue/batching.js'
import { Breaker } from './breaker.js'
import { DenyCache } from './deny-cache.js'
import { checkPhase, createQueue, isOpen, type Queue, type QueueEnds } from '../queue/queue.js'

/** The part of a store that talks to its server. */
export interface Transport<T> {
  readonly batching: Batching<T>
  /** Whether the server can be in this process, and answer before the event loop turns. */
  readonly isInProcess: boolean
  /** Makes the function that sends batches. See `QueueEnds`. */
  connect(receiver: Receiver): QueueEnds<T>['send']
  /** Whether the server is available. It never rejects. */
  ping(): Promise<boolean>
  /** Releases what the store itself has opened. */
  close?(): Promise<void>
}

/** The functions by which a transport reports what the server has replied. */
export interface Receiver {
  /** Answers some requests, in time or late. */
  complete(pending: readonly PendingRequest[], answers: readonly Answer[]): void
  /** Answers requests whose time is over. */
  expire(late: readonly PendingRequest[]): void
  /** Notes a reply that answers no request. */
  replied(): void
}

export interface PipelineSettings {
  /** The name of the store, in errors and events. */
  readonly name: string
  readonly timeoutMs: number
  /** Whether a reply and a timer belong to the request of a server that began them, so that requests may share neither. */
  readonly isRequestBound: boolean
}

/**
 * The way of each request to a server, and of its answer back. A request is denied by a remembered denial, or fails because the breaker is open, or is sent by
 * the transport. It is answered at the latest when the timeout is over.
 */
export function createPipeline<T>(
  { name, timeoutMs, isRequestBound }: PipelineSettings,
  transport: Transport<T>,
): AsyncStore {
  const denials = new DenyCache()
  const breaker = new Breaker(name, isRequestBound ? undefined : pingInTime, (peek) =>
    (shared ?? openQueue()).submit([peek]),
  )
  const kept = new Kept<Batch<T>>()
  let isSending = false
  let isClosed = false
  const shared = isRequestBound ? undefined : openQueue()

  function openQueue(): Queue {
    const queue = createQueue(transport.batching, timeoutMs, { send, expire })
    const sendBatch = transport.connect({ complete, expire, replied: () => breaker.replied() })
    return queue

    function send(batch: Batch<T>): Promise<void> | undefined {
      if (storeEvents.storeCall.hasSubscribers) {
        batch.open = batch.pending.length
        for (const one of batch.pending) one.batch = batch
      }
      kept.offer(batch)
      isSending = true
      const end = sendBatch(batch)
      if (transport.isInProcess) checkPhase(() => (isSending = false))
      else isSending = false
      return end
    }

    function complete(pending: readonly PendingRequest[], answers: readonly Answer[]): void {
      // Not at once, for the same reason as above.
      if (isSending) checkPhase(() => answerInTime(pending, answers))
      else answerInTime(pending, answers)
    }

    function answerInTime(pending: readonly PendingRequest[], answers: readonly Answer[]): void {
      if (pending.every(isOpen)) {
        answer(pending, answers)
        return
      }
      const late = pending.flatMap((one, i) => (one.isAnswered ? undoingOf(one, answers[i]) : []))
      answer(
        pending.filter(isOpen),
        answers.filter((_, i) => isOpen(pending[i])),
      )
      if (late.length > 0) queue.submit(late)
    }

    function expire(late: readonly PendingRequest[]): void {
      const open = late.filter(isOpen)
      if (open.length === 0) return
      const timeout = sluiceError('SLUICE_STORE_TIMEOUT', name, timeoutMs)
      const contended = sluiceError('SLUICE_STORE_CONTENDED', name, timeoutMs)
      answer(
        open,
        open.map(({ hasConflicted }) => (hasConflicted ? contended : timeout)),
      )
    }

    function answer(pending: readonly PendingRequest[], answers: readonly Answer[]): void {
      if (pending.length === 0) return
      publish(pending, answers)
      breaker.complete(pending, answers)
      for (let i = 0; i < pending.length; i++) {
        pending[i].isAnswered = true
        denials.complete(pending[i], answers[i])
      }
      // First, because `done` may submit requests.
      queue.complete(pending)
      for (let i = 0; i < pending.length; i++) pending[i].done(answers[i])
    }
  }

  function submit(pending: readonly PendingRequest[]): void {
    const sent: PendingRequest[] = []
    for (const one of pending) {
      const answer = isClosed
        ? sluiceError('SLUICE_STORE_CLOSED', name)
        : (denials.recall(one) ?? breaker.refuses())
      if (answer === undefined) sent.push(one)
      // Not at once, because a caller that retries until it is allowed must not block the event loop.
      else checkPhase(() => one.done(answer))
    }
    if (sent.length > 0) (shared ?? openQueue()).submit(sent)
  }

  /** Publishes the calls that end with these answers, and the errors, each once. */
  function publish(pending: readonly PendingRequest[], answers: readonly Answer[]): void {
    const { storeCall, storeError } = storeEvents
    for (let i = 0; i < pending.length; i++) {
      const { batch } = pending[i]
      if (batch === undefined) continue
      const answer = answers[i]
      if (hasFailed(answer)) batch.error ??= answer
      if (--batch.open > 0) continue
      const durationMs = performance.now() - batch.sentAt
      const { pending: sent, error } = batch
      storeCall.publish({ store: name, requests: sent.length, durationMs, error })
    }
    if (!storeError.hasSubscribers) return
    for (const error of new Set(answers.filter(hasFailed)))
      storeError.publish({ store: name, error })
  }

  /** Resolves to false if the ping is not answered in time. */
  function pingInTime(): Promise<boolean> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => checkPhase(() => resolve(false)), timeoutMs)
      transport
        .ping()
        .finally(() => clearTimeout(timer))
        .then(resolve, reject)
    })
  }

  return storeOf(submit, {
    ping: async () => !isClosed && (await pingInTime()) && !breaker.isRefusing,
    async close() {
      isClosed = true
      await transport.close?.()
    },
  })
}

/** Refunds the units that were taken in time, but whose answer was late. */
function undoingOf({ request, isKept }: PendingRequest, late: Answer): PendingRequest[] {
  if (isKept || request.verb !== 'consume' || !('allowed' in late) || !late.allowed) return []
  return refundsOf(request, late.states).map((refund) => new PendingRequest(refund, () => {}, true))
}
