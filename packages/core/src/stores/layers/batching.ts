import type { Answer, AsyncStore, StoreRequest } from '../store.js'
import { isUnavailable } from './failure.js'
import { createOrder, newCall, type Call, type PendingRequest } from './order.js'
import { runOf, storeOf, type Lane } from './run.js'

/** The most requests, and the largest weight, of one call: no call should occupy Redis for more than about a millisecond. */
const mostRequests = 128
const mostWeight = 256

/** Logs and leases weigh more than a row, because each takes Redis commands of its own. */
const bodyWeight = 8

/**
 * The share of all waiting and pending requests that one call takes. If one call took all of them, the store and this process would wait for each
 * other in turn. Many small calls would cost more than a few large ones.
 */
const share = 1 / 2
const fewestRequests = 2

/** Returns undefined for a request that is sent in a call of its own, without an order relative to others. */
export type LaneOf = (request: StoreRequest) => Lane | undefined

/**
 * Batches the requests of all sockets and limiters of a store. If no call is pending, a request is sent immediately. Otherwise it is sent in
 * the check phase of the event loop, which follows every read from a socket; a batch that ends with a microtask would contain one request. A
 * request waits for another lane only if that lane has a request about the same key, because one master of a Cluster may be unavailable.
 * Requests about one key run in the order in which they were made. Batching adds no counting error.
 */
export function withBatching(store: AsyncStore, laneOf: LaneOf): AsyncStore {
  const run = runOf(store)
  const order = createOrder()
  let waiting: PendingRequest[] = []
  let underWay = 0
  let isScheduled = false

  function schedule(): void {
    if (isScheduled) return
    isScheduled = true
    checkPhase(send)
  }

  function send(): void {
    isScheduled = false
    const batch = order.takeDeferred(waiting)
    waiting = []
    const size = Math.ceil((batch.length + underWay) * share)
    const most = Math.min(mostRequests, Math.max(fewestRequests, size))
    if (batch.length === 1) {
      sendOne(batch[0])
      return
    }
    const open = new Map<Lane, Call>()
    for (const pending of batch) {
      const own = laneOf(pending.request)
      if (own === undefined) {
        const alone = newCall(undefined, pending.askedAt)
        alone.pending.push(pending)
        start(alone)
        continue
      }
      const lane = order.laneFor(pending, own)
      if (lane === undefined) continue
      const weight = weightOf(pending.request)
      let call = open.get(lane)
      const isFull =
        call !== undefined && (call.pending.length >= most || call.weight + weight > mostWeight)
      // A request that was deferred is closer to its deadline than others.
      if (call === undefined || isFull || call.askedAt !== pending.askedAt) {
        if (call !== undefined) start(call)
        call = newCall(lane, pending.askedAt)
        open.set(lane, call)
        order.add(call)
      }
      call.pending.push(pending)
      call.weight += weight
    }
    for (const call of open.values()) start(call)
  }

  /** The same for a single request, without the maps of a batch. */
  function sendOne(pending: PendingRequest): void {
    const own = laneOf(pending.request)
    const lane = own === undefined ? undefined : order.laneFor(pending, own)
    // The order has deferred the request.
    if (own !== undefined && lane === undefined) return
    const call = newCall(lane, pending.askedAt)
    call.pending.push(pending)
    if (lane !== undefined) order.add(call)
    start(call)
  }

  function start(call: Call): void {
    underWay += call.pending.length
    const requests = call.pending.map(({ request }) => request)
    let isStarting = true
    run(
      requests,
      (answers) => {
        // A layer may answer synchronously, and a caller that retries until it is allowed must not block the event loop.
        if (isStarting) checkPhase(() => settle(call, answers))
        else settle(call, answers)
      },
      call,
    )
    isStarting = false
  }

  function settle(call: Call, answers: readonly Answer[]): void {
    underWay -= call.pending.length
    // First, because the callbacks below may add requests, and their order must not include this call.
    const failed = order.remove(call) && answers.every(isUnavailable) ? order.failBehind(call) : []
    for (let i = 0; i < answers.length; i++) answer(call.pending[i], answers[i])
    for (const pending of failed) answer(pending, answers[0])
    if (order.hasDeferred()) schedule()
  }

  return storeOf(
    function runTogether(requests, done) {
      if (requests.length === 0) {
        done([])
        return
      }
      const asked = { answers: [], left: requests.length, done }
      for (let i = 0; i < requests.length; i++)
        waiting.push({ request: requests[i], asked, i, askedAt: undefined })
      if (underWay > 0 || order.hasDeferred()) schedule()
      else if (!isScheduled) send()
    },
    {
      ping: () => store.ping(),
      close: () => store.close(),
    },
  )
}

function answer({ asked, i }: PendingRequest, given: Answer): void {
  asked.answers[i] = given
  if (--asked.left === 0) asked.done(asked.answers)
}

function weightOf({ entries }: StoreRequest): number {
  let weight = 0
  for (const { steps } of entries) weight += steps.bodied === true ? bodyWeight : 1
  return weight
}

const checkPhase: (then: () => void) => void = (() => globalThis.setImmediate ?? setTimeout)()
