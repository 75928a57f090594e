import { processTime } from '../../clock.js'
import type { Answer, StoreRequest } from '../store.js'
import type { Lane } from './run.js'

/** A list of requests from one caller, and the answers that have arrived so far. */
interface Asked {
  readonly answers: Answer[]
  left: number
  readonly done: (answers: readonly Answer[]) => void
}

/** A request without an answer yet, and its position in its caller's list. */
export interface PendingRequest {
  readonly request: StoreRequest
  readonly asked: Asked
  readonly i: number
  /** The monotonic time of the request, set once it has been deferred. */
  askedAt: number | undefined
}

/** Requests that are sent together: a batch that is being filled, or is pending. */
export interface Call {
  /** Undefined for a single request without an order relative to others. */
  readonly lane: Lane | undefined
  readonly pending: PendingRequest[]
  readonly askedAt: number | undefined
  weight: number
  /** The keys of its first `noted` requests. Most calls are never compared with others, and have none. */
  keys: Set<string> | undefined
  noted: number
}

export function newCall(lane: Lane | undefined, askedAt?: number): Call {
  return { lane, askedAt, pending: [], weight: 0, keys: undefined, noted: 0 }
}

/**
 * Keeps requests about one key in the order in which they were made. The store runs the calls of one lane in the order in which they are sent.
 * The order of calls in different lanes is unknown, because a call may be repeated. So all pending requests about a key are in one lane. A
 * request for a different lane is deferred until those requests are answered.
 */
export interface Order {
  /** Returns the lane for this request. Undefined if the request is deferred. */
  laneFor(pending: PendingRequest, own: Lane): Lane | undefined
  add(call: Call): void
  /** Returns whether the call was in this order. */
  remove(call: Call): boolean
  hasDeferred(): boolean
  /** Returns the deferred requests, followed by the later ones. The caller passes each of them to `laneFor`, which may defer it again. */
  takeDeferred(later: PendingRequest[]): PendingRequest[]
  /**
   * Returns the deferred requests that wait for this call, because the store did not answer it and their time is up. Refunds have no deadline, so
   * they stay deferred.
   */
  failBehind(call: Call): readonly PendingRequest[]
}

export function createOrder(): Order {
  // Not a Set: after removals, a Set keeps its former items alive until the old generation is collected.
  const calls: Call[] = []
  let deferred: PendingRequest[] = []
  const deferredKeys = new Set<string>()
  /** Read once for all requests that are deferred at the same time, so that they may be sent in one call. */
  let deferredAt: number | undefined

  function defer(pending: PendingRequest, keys: readonly string[]): undefined {
    deferredAt ??= processTime.monotonic()
    pending.askedAt ??= deferredAt
    deferred.push(pending)
    for (const key of keys) deferredKeys.add(key)
  }

  function isAlone(own: Lane): boolean {
    for (const { lane } of calls) if (lane !== own) return false
    return deferredKeys.size === 0
  }

  return {
    laneFor(pending, own) {
      if (isAlone(own)) return own
      const keys = keysOf(pending.request)
      if (keys.some((key) => deferredKeys.has(key))) return defer(pending, keys)
      for (const call of calls) {
        if (call.lane !== own && isAbout(call, keys)) return defer(pending, keys)
      }
      return own
    },

    add: (call) => void calls.push(call),
    remove(call) {
      const at = calls.indexOf(call)
      if (at !== -1) calls.splice(at, 1)
      return at !== -1
    },
    hasDeferred: () => deferred.length > 0,

    takeDeferred(later) {
      deferredAt = undefined
      if (deferred.length === 0) return later
      const all = deferred.concat(later)
      deferred = []
      deferredKeys.clear()
      return all
    },

    failBehind(call) {
      const failed: PendingRequest[] = []
      const all = deferred
      deferred = []
      deferredKeys.clear()
      for (const pending of all) {
        const keys = keysOf(pending.request)
        if (pending.request.verb !== 'refundReceipt' && isAbout(call, keys)) failed.push(pending)
        else defer(pending, keys)
      }
      return failed
    },
  }
}

function isAbout(call: Call, keys: readonly string[]): boolean {
  const known = (call.keys ??= new Set())
  // The call may have more requests than at the last comparison.
  for (; call.noted < call.pending.length; call.noted++) {
    for (const key of keysOf(call.pending[call.noted].request)) known.add(key)
  }
  return keys.some((key) => known.has(key))
}

function keysOf({ entries: [{ limiter }], keys }: StoreRequest): readonly string[] {
  return keys.map((key) => `${limiter}\0${key}`)
}
