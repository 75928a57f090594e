import type { Answer, AsyncStore, StoreRequest } from '../store.js'

/** So many requests at most travel in one call, and so many entries, so that no call holds Redis up for longer than about a millisecond. */
const mostRequests = 128
const mostWeight = 256

/** A log or leases are read and written by position, in commands of their own. */
const bodyWeight = 8

/** One call of `run`, while the answers to its requests come in. */
interface Asked {
  readonly requests: readonly StoreRequest[]
  readonly answers: Answer[]
  left: number
  readonly resolve: (answers: readonly Answer[]) => void
}

/** Where a request is answered. Those of one lane may travel together; undefined is a lane of its own. */
export type LaneOf = (request: StoreRequest) => number | undefined

/**
 * Lets requests travel together that are asked for in the same turn of the event loop, whoever asks: other requests, sockets and limiters.
 * They are sent in the loop's check phase, which is at hand whenever something was read from a socket; a microtask would gather one. Within a
 * lane their order is kept, and none of them waits for another lane: of a Cluster, one master may be away. It adds no error.
 */
export function withBatching(store: AsyncStore, laneOf: LaneOf): AsyncStore {
  let waiting: Asked[] = []

  function send(): void {
    const batches = new Map<unknown, Batch>()
    const asked = waiting
    waiting = []
    for (const one of asked) {
      for (let i = 0; i < one.requests.length; i++) {
        const place = { one, i }
        const weight = weightOf(one.requests[i])
        const lane = laneOf(one.requests[i]) ?? place
        const batch = batches.get(lane)
        if (batch === undefined || isFull(batch, weight)) {
          if (batch !== undefined) void settle(batch)
          batches.set(lane, { places: [place], weight })
        } else {
          batch.places.push(place)
          batch.weight += weight
        }
      }
    }
    for (const batch of batches.values()) void settle(batch)
  }

  async function settle({ places }: Batch): Promise<void> {
    const answers = await store.run(places.map(({ one, i }) => one.requests[i]))
    places.forEach(({ one, i }, at) => {
      one.answers[i] = answers[at]
      if (--one.left === 0) one.resolve(one.answers)
    })
  }

  return {
    async: true,
    run(requests) {
      if (requests.length === 0) return Promise.resolve([])
      return new Promise((resolve) => {
        if (waiting.length === 0) checkPhase(send)
        waiting.push({ requests, answers: [], left: requests.length, resolve })
      })
    },
    ping: () => store.ping(),
    close: () => store.close(),
  }
}

/** Where a request stands among those of its call. */
interface Place {
  readonly one: Asked
  readonly i: number
}

interface Batch {
  readonly places: Place[]
  weight: number
}

function isFull({ places, weight }: Batch, added: number): boolean {
  return places.length === mostRequests || weight + added > mostWeight
}

function weightOf({ entries }: StoreRequest): number {
  let weight = 0
  for (const { steps } of entries) weight += steps.bodied === true ? bodyWeight : 1
  return weight
}

const checkPhase: (then: () => void) => void = globalThis.setImmediate ?? setTimeout
