import { processTime } from '../clock.js'
import { sluiceError } from '../errors.js'
import { events } from '../events.js'
import type { Answer, AsyncStore, StoreRequest } from '../stores/store.js'
import { hasFailed, isAway } from './failure.js'

/** So many calls in a row have to fail as a whole before the store is left alone. */
const failuresToOpen = 3

/** A store that has answered within so long is not dead as a whole: on a Cluster that lost one of its masters, the others answer. */
const quietMs = 250

/** How often a store that is left alone is asked whether it is back. */
const probeEveryMs = 200

/**
 * Leaves a dead store alone: after three calls in a row that failed as a whole, with no answer for a moment, requests fail at once and none of
 * them waits. Traffic that comes meanwhile makes the breaker ping the store, and once that answers, one request tries it. So the store is in use again within two
 * probes of its return, without a timer. It adds no error: what it refuses would have failed.
 */
export function withBreaker(store: AsyncStore, name: string): AsyncStore {
  let failures = 0
  let answeredAt = -Infinity
  let isOpen = false
  /** Whether the store answers pings, so that the next request may try it. */
  let mayTry = false
  let probedAt = -Infinity

  async function watched(requests: readonly StoreRequest[]): Promise<readonly Answer[]> {
    const answers = await store.run(requests)
    report(answers)
    const error = answers.every(isAway) ? answers[0] : undefined
    if (error === undefined) {
      failures = 0
      answeredAt = processTime.monotonic()
      if (isOpen) close()
    } else if (processTime.monotonic() - answeredAt < quietMs) {
      failures = 0
    } else if (++failures >= failuresToOpen && !isOpen) {
      isOpen = true
      events.breaker.publish({ store: name, state: 'open', error })
    }
    return answers
  }

  /** Each error once, however many requests of the call it is the answer of. */
  function report(answers: readonly Answer[]): void {
    if (!events.storeError.hasSubscribers) return
    for (const error of new Set(answers.filter(hasFailed))) {
      events.storeError.publish({ store: name, error })
    }
  }

  function close(): void {
    isOpen = false
    mayTry = false
    events.breaker.publish({ store: name, state: 'closed', error: undefined })
  }

  async function probe(): Promise<void> {
    const now = processTime.monotonic()
    if (mayTry || now - probedAt < probeEveryMs) return
    probedAt = now
    mayTry = await store.ping()
  }

  return {
    async: true,
    run(requests) {
      if (!isOpen || mayTry) {
        // Of those that come together only one tries.
        mayTry = false
        return watched(requests)
      }
      void probe()
      const error = sluiceError('SLUICE_STORE_AWAY', name)
      return Promise.resolve(requests.map(() => error))
    },
    ping: () => store.ping(),
    close: () => store.close(),
  }
}
