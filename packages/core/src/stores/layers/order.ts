import { processTime } from '../../clock.js'
import type { Answer, StoreRequest } from '../store.js'
import type { Lane } from './run.js'

/** One list of requests, while the answers to them come in. */
interface Asked {
  readonly answers: Answer[]
  left: number
  readonly done: (answers: readonly Answer[]) => void
}

/** A request, and where it stands among those that were asked with it. */
export interface Place {
  readonly request: StoreRequest
  readonly asked: Asked
  readonly i: number
  /** The monotonic time at which it was asked, once it has been held. */
  askedAt: number | undefined
}

/** Requests that travel together: being put together, or under way. */
export interface Call {
  /** Undefined: a request by itself, which is in no order with others. */
  readonly lane: Lane | undefined
  readonly places: Place[]
  readonly askedAt: number | undefined
  weight: number
  /** The keys of so many of its requests. */
  readonly keys: Set<string>
  noted: number
}

export function newCall(lane: Lane | undefined, askedAt?: number): Call {
  return { lane, askedAt, places: [], weight: 0, keys: new Set(), noted: 0 }
}

/**
 * Keeps requests about one key in the order in which they were asked. Calls of one lane are run in the order in which they are sent. Of two lanes
 * that is not known, because a call may be asked again: so all requests about a key that have no answer yet are in one lane. A request that
 * another lane would take goes with them if their lane takes every request, and else is held until they are answered.
 */
export interface Order {
  /** The lane that takes this request, if not its own; undefined if it is held. */
  laneFor(place: Place, own: Lane): Lane | undefined
  add(call: Call): void
  /** Whether the call was in this order. */
  remove(call: Call): boolean
  isHolding(): boolean
  /** What was held, and what came after it. Each of these places is then to have a lane, or is held again. */
  released(later: Place[]): Place[]
  /**
   * Of what is held, the requests that wait for this call. If the store did not answer the call, they have waited long enough. What gives back
   * waits on.
   */
  failBehind(call: Call): readonly Place[]
}

export function createOrder(): Order {
  // An array, because a Set that is filled and emptied keeps what it held alive until the old generation is collected.
  const calls: Call[] = []
  let held: Place[] = []
  const heldKeys = new Set<string>()
  /** Read once for all requests that are held at the same time: they may travel in one call. */
  let heldAt: number | undefined

  function hold(place: Place, keys: readonly string[]): undefined {
    heldAt ??= processTime.monotonic()
    place.askedAt ??= heldAt
    held.push(place)
    for (const key of keys) heldKeys.add(key)
  }

  function isAlone(own: Lane): boolean {
    for (const { lane } of calls) if (lane !== own) return false
    return heldKeys.size === 0
  }

  return {
    laneFor(place, own) {
      if (isAlone(own)) return own
      const keys = keysOf(place.request)
      if (keys.some((key) => heldKeys.has(key))) return hold(place, keys)
      for (const call of calls) {
        if (call.lane !== own && isAbout(call, keys)) {
          return call.lane === own.general ? call.lane : hold(place, keys)
        }
      }
      return own
    },

    add: (call) => void calls.push(call),
    remove(call) {
      const at = calls.indexOf(call)
      if (at !== -1) calls.splice(at, 1)
      return at !== -1
    },
    isHolding: () => held.length > 0,

    released(later) {
      heldAt = undefined
      if (held.length === 0) return later
      const places = held.concat(later)
      held = []
      heldKeys.clear()
      return places
    },

    failBehind(call) {
      const failed: Place[] = []
      const places = held
      held = []
      heldKeys.clear()
      for (const place of places) {
        const keys = keysOf(place.request)
        if (place.request.verb !== 'refundReceipt' && isAbout(call, keys)) failed.push(place)
        else hold(place, keys)
      }
      return failed
    },
  }
}

function isAbout(call: Call, keys: readonly string[]): boolean {
  // Noted on demand, since most calls are never asked; and the call may have been given more requests since.
  for (; call.noted < call.places.length; call.noted++) {
    for (const key of keysOf(call.places[call.noted].request)) call.keys.add(key)
  }
  return keys.some((key) => call.keys.has(key))
}

function keysOf({ entries: [{ limiter }], keys }: StoreRequest): readonly string[] {
  return keys.map((key) => `${limiter}\0${key}`)
}
