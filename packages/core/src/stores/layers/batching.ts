import type { Answer, AsyncStore, StoreRequest } from '../store.js'
import { isAway } from './failure.js'
import { createOrder, newCall, type Call, type Place } from './order.js'
import { runOf, storeOf, type Lane } from './run.js'

/** So many requests at most travel in one call, and so many entries, so that no call holds Redis up for longer than about a millisecond. */
const mostRequests = 128
const mostWeight = 256

/** A log or leases are read and written by position, in commands of their own. */
const bodyWeight = 8

/**
 * A call takes this share of what waits and is under way: if one call took all of it, the store and this process would wait for each other, and
 * many small calls cost more than a few large ones.
 */
const share = 1 / 2
const fewestRequests = 2

/** Undefined: the request travels alone, and in no order with others. */
export type LaneOf = (request: StoreRequest) => Lane | undefined

/**
 * Lets requests travel together, whoever asks: other requests, sockets and limiters. While no call is under way, a request is sent at once.
 * Otherwise it is sent in the loop's check phase, which is at hand whenever something was read from a socket; a microtask would gather one. No
 * request waits for a lane that it is not in, unless that has a request about the same key: of a Cluster, one master may be away. Requests
 * about one key are run in the order in which they were asked. It adds no error.
 */
export function withBatching(store: AsyncStore, laneOf: LaneOf): AsyncStore {
  const run = runOf(store)
  const order = createOrder()
  let waiting: Place[] = []
  let underWay = 0
  let isScheduled = false

  function schedule(): void {
    if (isScheduled) return
    isScheduled = true
    checkPhase(send)
  }

  function send(): void {
    isScheduled = false
    const places = order.released(waiting)
    waiting = []
    const size = Math.ceil((places.length + underWay) * share)
    const most = Math.min(mostRequests, Math.max(fewestRequests, size))
    const open = new Map<Lane, Call>()
    for (const place of places) {
      const own = laneOf(place.request)
      if (own === undefined) {
        const alone = newCall(undefined, place.askedAt)
        alone.places.push(place)
        start(alone)
        continue
      }
      const lane = order.laneFor(place, own)
      if (lane === undefined) continue
      const weight = weightOf(place.request)
      let call = open.get(lane)
      const isFull =
        call !== undefined && (call.places.length >= most || call.weight + weight > mostWeight)
      // A request that was held has less time left than others.
      if (call === undefined || isFull || call.askedAt !== place.askedAt) {
        if (call !== undefined) start(call)
        call = newCall(lane, place.askedAt)
        open.set(lane, call)
        order.add(call)
      }
      call.places.push(place)
      call.weight += weight
    }
    for (const call of open.values()) start(call)
  }

  function start(call: Call): void {
    underWay += call.places.length
    const requests = call.places.map(({ request }) => request)
    let isStarting = true
    run(
      requests,
      (answers) => {
        // A layer that knows the answer gives it at once. A loop that asks until it is admitted must not keep the event loop from turning.
        if (isStarting) checkPhase(() => settle(call, answers))
        else settle(call, answers)
      },
      call,
    )
    isStarting = false
  }

  function settle(call: Call, answers: readonly Answer[]): void {
    const { places } = call
    underWay -= places.length
    // What is settled by these answers has to find the order as it is without this call.
    const failed = order.remove(call) && answers.every(isAway) ? order.failBehind(call) : []
    for (let at = 0; at < places.length; at++) answer(places[at], answers[at])
    for (const place of failed) answer(place, answers[0])
    if (order.isHolding()) schedule()
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
      if (underWay > 0 || order.isHolding()) schedule()
      else if (!isScheduled) send()
    },
    {
      ping: () => store.ping(),
      close: () => store.close(),
    },
  )
}

function answer({ asked, i }: Place, given: Answer): void {
  asked.answers[i] = given
  if (--asked.left === 0) asked.done(asked.answers)
}

function weightOf({ entries }: StoreRequest): number {
  let weight = 0
  for (const { steps } of entries) weight += steps.bodied === true ? bodyWeight : 1
  return weight
}

const checkPhase: (then: () => void) => void = globalThis.setImmediate ?? setTimeout
