import { sluiceError, type SluiceError } from '../../errors.js'
import { batchOf, hasFailed, PendingRequest, storeOf, type Batch } from '../pending.js'
import { storeEvents } from '../events.js'
import { refundsOf, type Answer, type AsyncStore } from '../store.js'
import { Breaker } from './breaker.js'
import { checkPhase } from './check-phase.js'
import { DenyCache } from './deny-cache.js'

/** The part of a store that sends requests to its server. */
export interface Transport {
  /** Adds a request to those that `flush` sends. */
  add(pending: PendingRequest): void
  /** Sends the requests that were added, or lets them wait for others. */
  flush(): void
  /** Returns the error of each request whose time is over, if it is not that of a server that did not answer. */
  expire?(late: readonly PendingRequest[]): readonly SluiceError[]
  /** Notes that requests have been answered, before their callers receive the answers. */
  end(pending: readonly PendingRequest[]): void
  /** Whether the server is available. It never rejects. */
  ping(): Promise<boolean>
  /** Releases what the store itself has opened. */
  close?(): Promise<void>
}

/** The functions by which a transport reports to the pipeline. */
export interface Notes {
  /** Starts the time of requests that are sent together. */
  begin(pending: readonly PendingRequest[]): void
  /** Answers some requests, in time or late. */
  arrive(pending: readonly PendingRequest[], answers: readonly Answer[]): void
  /** Notes a reply of the server that answers no request. */
  noteReply(): void
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
export function createPipeline(
  { name, timeoutMs, isRequestBound }: PipelineSettings,
  connect: (notes: Notes) => Transport,
): AsyncStore {
  const denials = new DenyCache()
  const breaker = new Breaker(name, isRequestBound ? undefined : pingInTime, (peek) => {
    transport.add(peek)
    flush()
  })
  const transport = connect({ begin, arrive, noteReply: () => breaker.noteReply() })
  let isSending = false
  let isClosed = false

  function enter(pending: readonly PendingRequest[]): void {
    for (let i = 0; i < pending.length; i++) {
      const one = pending[i]
      const answer = isClosed
        ? sluiceError('SLUICE_STORE_CLOSED', name)
        : (denials.recall(one) ?? breaker.refuses())
      if (answer === undefined) transport.add(one)
      // Not at once, because a caller that retries until it is allowed must not block the event loop.
      else checkPhase(() => one.done(answer))
    }
    flush()
  }

  function begin(pending: readonly PendingRequest[]): void {
    const batch = batchOf(pending)
    // If the event loop was blocked for long, the timer fires before the replies that have arrived are read. They are in time.
    batch.timer = setTimeout(() => checkPhase(() => expire(pending.filter(isOpen))), timeoutMs)
    const call = storeEvents.storeCall.hasSubscribers ? batch : undefined
    for (let i = 0; i < pending.length; i++) {
      pending[i].batch = batch
      pending[i].call = call
    }
  }

  function flush(): void {
    isSending = true
    transport.flush()
    isSending = false
  }

  function arrive(pending: readonly PendingRequest[], answers: readonly Answer[]): void {
    // For the same reason as above.
    if (isSending) checkPhase(() => arrive(pending, answers))
    else if (!pending.some(isAnswered)) answer(pending, answers)
    else {
      const late = pending.flatMap((one, i) => (one.isAnswered ? undoingOf(one, answers[i]) : []))
      const inTime = [...pending.keys()].filter((i) => !pending[i].isAnswered)
      answer(
        inTime.map((i) => pending[i]),
        inTime.map((i) => answers[i]),
      )
      late.forEach(transport.add)
      flush()
    }
  }

  function answer(pending: readonly PendingRequest[], answers: readonly Answer[]): void {
    if (pending.length === 0) return
    publish(pending, answers)
    breaker.note(pending, answers)
    for (let i = 0; i < pending.length; i++) {
      pending[i].isAnswered = true
      denials.note(pending[i], answers[i])
    }
    // First, because `done` may add requests.
    transport.end(pending)
    for (let i = 0; i < pending.length; i++) pending[i].done(answers[i])
  }

  function expire(late: readonly PendingRequest[]): void {
    const error = sluiceError('SLUICE_STORE_TIMEOUT', name, timeoutMs)
    answer(late, transport.expire?.(late) ?? late.map(() => error))
  }

  /** Ends what the requests have in common, and publishes the calls and the errors, each once. */
  function publish(pending: readonly PendingRequest[], answers: readonly Answer[]): void {
    const { storeCall, storeError } = storeEvents
    for (let i = 0; i < pending.length; i++) {
      const { batch, call } = pending[i]
      const answer = answers[i]
      const error = hasFailed(answer) ? answer : undefined
      if (batch !== undefined && leave(batch, error)) clearTimeout(batch.timer)
      if (call === undefined || !(call === batch ? call.open === 0 : leave(call, error))) continue
      const durationMs = performance.now() - call.sentAt
      storeCall.publish({ store: name, requests: call.size, durationMs, error: call.error })
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

  return storeOf(enter, {
    ping: async () => !isClosed && (await pingInTime()) && !breaker.isRefusing,
    async close() {
      isClosed = true
      await transport.close?.()
    },
  })
}

function isAnswered(pending: PendingRequest): boolean {
  return pending.isAnswered
}

function isOpen(pending: PendingRequest): boolean {
  return !pending.isAnswered
}

/** Notes one answer, and returns whether it was the last one. */
function leave(batch: Batch, error: SluiceError | undefined): boolean {
  batch.error ??= error
  return --batch.open === 0
}

/** Refunds the units that were taken in time, but whose answer was late. */
function undoingOf({ request }: PendingRequest, late: Answer): PendingRequest[] {
  if (request.verb !== 'consume' || !('allowed' in late) || !late.allowed) return []
  return refundsOf(request, late.states).map((refund) => new PendingRequest(refund, () => {}))
}
