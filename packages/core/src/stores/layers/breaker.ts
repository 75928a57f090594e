import { processTime } from '../../clock.js'
import { sluiceError, type SluiceError } from '../../errors.js'
import { storeEvents } from './events.js'
import { peekOf, type Answer, type AsyncStore, type StoreRequest } from '../store.js'
import { hasFailed, isUnavailable } from './failure.js'
import { runOf, storeOf } from './run.js'

/** The number of consecutive calls that have to fail as a whole before the breaker opens. */
const failuresToOpen = 3

/** After an error, `ping` reports an open store as unavailable for this time, although the store answers pings. */
const refusedForMs = 1000

/** A store that has answered within this time is not unavailable as a whole: if a Cluster loses one master, the others answer. */
const quietMs = 250

/** The minimum time between two pings while the breaker is open. */
const probeEveryMs = 200

/**
 * Stops calling a store that is unavailable. After three consecutive calls that failed as a whole, without any answer for `quietMs`, requests
 * fail immediately. Requests that arrive while the breaker is open make it ping the store; after a successful ping, one request tries the
 * store. So the store is in use again within two probes of its recovery, without a timer. The breaker adds no counting error.
 *
 * A store may also answer each request with an error. A store that refuses only writes, such as a Redis that is out of memory, still knows which
 * keys are over their limit, so it stays in use. The breaker opens if it refuses three keys in a row and then a peek at one of them.
 */
export function withBreaker(store: AsyncStore, name: string): AsyncStore {
  const run = runOf(store)
  let failures = 0
  /** The keys of the consecutive failed calls that the store answered with an error. */
  const refusedKeys = new Set<string>()
  let refusedAt = -Infinity
  let answeredAt = -Infinity
  let isOpen = false
  /** Whether the last ping was answered, so that the next request may try the store. */
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
    // Clearing an empty set allocates memory.
    if (refusedKeys.size > 0) refusedKeys.clear()
  }

  function countFailure(requests: readonly StoreRequest[], answers: readonly SluiceError[]): void {
    const isRefused = !answers.every(isUnavailable)
    if (isOpen) {
      if (isRefused) look(requests[0])
    } else if ((!isRefused || noteKeys(requests)) && ++failures >= failuresToOpen) {
      if (isRefused) look(requests[0])
      else open(answers[0])
    }
  }

  /** Peeks at the keys of a request that the store refused. */
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

  /** Returns whether one of the keys was not refused before. A single key that holds another type always fails, and must not open the breaker. */
  function noteKeys(requests: readonly StoreRequest[]): boolean {
    const known = refusedKeys.size
    for (const { entries, keys } of requests) {
      refusedKeys.add(JSON.stringify([entries[0].limiter, ...keys]))
    }
    return refusedKeys.size > known
  }

  /** Publishes each error once per call, not once per request. */
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
    function runWatched(requests, done, info) {
      if (isOpen && !mayTry) {
        void probe()
        const error = sluiceError('SLUICE_STORE_UNAVAILABLE', name)
        done(requests.map(() => error))
        return
      }
      // Of several calls at the same time, only one tries the store.
      mayTry = false
      run(
        requests,
        (answers) => {
          watch(requests, answers)
          done(answers)
        },
        info,
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
