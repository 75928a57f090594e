import { processTime } from '../../clock.js'
import { sluiceError, type SluiceError } from '../../errors.js'
import { storeEvents } from './events.js'
import { peekOf, type Answer, type AsyncStore, type StoreRequest } from '../store.js'
import { hasFailed, isAway } from './failure.js'
import { runOf, storeOf } from './run.js'

/** So many calls in a row have to fail as a whole before the store is left alone. */
const failuresToOpen = 3

/** A store that answers pings, but the last request with an error, is reported as unavailable for so long. */
const refusedForMs = 1000

/** A store that has answered within so long is not dead as a whole: on a Cluster that lost one of its masters, the others answer. */
const quietMs = 250

/** How often a store that is left alone is asked whether it is back. */
const probeEveryMs = 200

/**
 * Leaves a dead store alone: after three calls in a row that failed as a whole, with no answer for a moment, requests fail at once and none of
 * them waits. Traffic that comes meanwhile makes the breaker ping the store, and once that answers, one request tries it. So the store is in use again within two
 * probes of its return, without a timer. It adds no error: what it refuses would have failed.
 *
 * A store may also answer each request with an error. One that refuses to write only, as a Redis that is out of memory, still knows which keys are
 * over their limit, so it stays in use. It is left alone if it refuses three keys in a row and a look at one of them as well.
 */
export function withBreaker(store: AsyncStore, name: string): AsyncStore {
  const run = runOf(store)
  let failures = 0
  /** The keys that the failed calls in a row were about, where the store answered with an error. */
  const refusedKeys = new Set<string>()
  let refusedAt = -Infinity
  let answeredAt = -Infinity
  let isOpen = false
  /** Whether the store answers pings, so that the next request may try it. */
  let mayTry = false
  let probedAt = -Infinity

  function watch(requests: readonly StoreRequest[], answers: readonly Answer[]): void {
    report(answers)
    if (!answers.every(hasFailed)) answered()
    else if (isOpen || !hasAnsweredLately()) countFailure(requests, answers)
  }

  function answered(): void {
    startOver()
    answeredAt = processTime.monotonic()
    if (isOpen) close()
  }

  function hasAnsweredLately(): boolean {
    const isLately = processTime.monotonic() - answeredAt < quietMs
    if (isLately) startOver()
    return isLately
  }

  function startOver(): void {
    failures = 0
    refusedKeys.clear()
  }

  function countFailure(requests: readonly StoreRequest[], answers: readonly SluiceError[]): void {
    const isRefused = !answers.every(isAway)
    if (isOpen) {
      if (isRefused) look(requests[0])
    } else if ((!isRefused || noteKeys(requests)) && ++failures >= failuresToOpen) {
      if (isRefused) look(requests[0])
      else open(answers[0])
    }
  }

  /** Looks at the state of a request that was refused. */
  function look(request: StoreRequest): void {
    run([peekOf(request, 0)], ([answer]) => {
      if (!hasFailed(answer)) {
        answered()
      } else {
        refusedAt = processTime.monotonic()
        if (!isOpen && failures >= failuresToOpen) open(answer)
      }
    })
  }

  /** Whether one of the keys is new among those that the store refuses in a row: one key that holds something else fails by itself, however often. */
  function noteKeys(requests: readonly StoreRequest[]): boolean {
    const known = refusedKeys.size
    for (const { entries, keys } of requests) {
      refusedKeys.add(JSON.stringify([entries[0].limiter, ...keys]))
    }
    return refusedKeys.size > known
  }

  /** Each error once, however many requests of the call it is the answer of. */
  function report(answers: readonly Answer[]): void {
    if (!storeEvents.storeError.hasSubscribers) return
    for (const error of new Set(answers.filter(hasFailed))) {
      storeEvents.storeError.publish({ store: name, error })
    }
  }

  function open(error: SluiceError): void {
    isOpen = true
    storeEvents.breaker.publish({ store: name, state: 'open', error })
  }

  function close(): void {
    isOpen = false
    mayTry = false
    storeEvents.breaker.publish({ store: name, state: 'closed', error: undefined })
  }

  async function probe(): Promise<void> {
    const now = processTime.monotonic()
    if (mayTry || now - probedAt < probeEveryMs) return
    probedAt = now
    mayTry = await store.ping()
  }

  return storeOf(
    function runWatched(requests, done, travel) {
      if (isOpen && !mayTry) {
        void probe()
        const error = sluiceError('SLUICE_STORE_UNAVAILABLE', name)
        done(requests.map(() => error))
        return
      }
      // Of those that come together only one tries.
      mayTry = false
      run(
        requests,
        (answers) => {
          watch(requests, answers)
          done(answers)
        },
        travel,
      )
    },
    {
      async ping() {
        const isRefusing = isOpen && processTime.monotonic() - refusedAt < refusedForMs
        return (await store.ping()) && !isRefusing
      },
      close: () => store.close(),
    },
  )
}
