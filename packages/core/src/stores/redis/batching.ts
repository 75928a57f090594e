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

/**
 * Lets requests travel together that are asked for in the same turn of the event loop, whoever asks: other requests, sockets and limiters.
 * They are sent in the loop's check phase, which is at hand whenever something was read from a socket; a microtask would gather one. Their order
 * is kept. It adds no error.
 */
export function withBatching(store: AsyncStore): AsyncStore {
  let waiting: Asked[] = []

  function send(): void {
    const asked = waiting
    waiting = []
    let batch: Place[] = []
    let weight = 0
    for (const one of asked) {
      for (let i = 0; i < one.requests.length; i++) {
        const added = weightOf(one.requests[i])
        if (batch.length === mostRequests || (batch.length > 0 && weight + added > mostWeight)) {
          void settle(batch)
          batch = []
          weight = 0
        }
        batch.push({ one, i })
        weight += added
      }
    }
    if (batch.length > 0) void settle(batch)
  }

  async function settle(batch: readonly Place[]): Promise<void> {
    const answers = await store.run(batch.map(({ one, i }) => one.requests[i]))
    batch.forEach(({ one, i }, at) => {
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

function weightOf({ entries }: StoreRequest): number {
  let weight = 0
  for (const { steps } of entries) weight += 'over' in steps ? bodyWeight : 1
  return weight
}

const checkPhase: (then: () => void) => void = globalThis.setImmediate ?? setTimeout
