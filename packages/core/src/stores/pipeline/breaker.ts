import { processTime } from '../../clock.js'
import { sluiceError, type SluiceError } from '../../errors.js'
import { storeEvents } from '../events.js'
import { hasFailed, isUnavailable, type PendingRequest } from '../pending.js'
import { peekOf, type Answer, type StoreRequest } from '../store.js'

/** The number of consecutive calls that have to fail as a whole before the breaker opens. */
const failuresToOpen = 3

/** After an error, `ping` reports an open store as unavailable for this time, although the store answers pings. */
const refusedForMs = 1000

/** A store that has answered within this time is not unavailable as a whole: if a Cluster loses one master, the others answer. */
const quietMs = 250

/** The minimum time between two attempts to reach the store while the breaker is open. */
const probeEveryMs = 200

/**
 * Stops calling a store that is unavailable. After three consecutive calls that failed as a whole, without any answer for `quietMs`, requests
 * fail immediately. Requests that arrive while the breaker is open make it ping the store; after a successful ping, one request tries the
 * store. So the store is in use again within two probes of its recovery, without a timer. A store without a ping is tried with a request at each probe.
 * The breaker adds no counting error.
 *
 * A store may also answer each request with an error. A store that refuses only writes, such as a Redis that is out of memory, still knows which
 * keys are over their limit, so it stays in use. The breaker opens if it refuses three keys in a row and then a peek at one of them.
 */
export class Breaker {
  readonly #name: string
  readonly #ping: (() => Promise<boolean>) | undefined
  /** Asks the store past the breaker. */
  readonly #ask: (request: StoreRequest, done: (answer: Answer) => void) => void
  #failures = 0
  /** The keys of the consecutive failed calls that the store answered with an error. */
  readonly #refusedKeys = new Set<string>()
  #refusedAt = -Infinity
  #answeredAt = -Infinity
  #isOpen = false
  /** Whether the last ping was answered, or there is none, so that the next request may try the store. */
  #mayTry = false
  #probedAt = -Infinity

  constructor(
    name: string,
    ping: (() => Promise<boolean>) | undefined,
    ask: (request: StoreRequest, done: (answer: Answer) => void) => void,
  ) {
    this.#name = name
    this.#ping = ping
    this.#ask = ask
  }

  /** The error of a request that must not be sent; undefined if the request may be sent. */
  refuses(): SluiceError | undefined {
    if (!this.#isOpen) return undefined
    if (!this.#mayTry) this.#probe()
    if (!this.#mayTry) return sluiceError('SLUICE_STORE_UNAVAILABLE', this.#name)
    // Of several requests at the same time, only one tries the store.
    this.#mayTry = false
    return undefined
  }

  /** Counts the answers to a call. */
  note(pending: readonly PendingRequest[], answers: readonly Answer[]): void {
    if (pending.length === 1 && pending[0].isProbe) return
    if (!areFailures(answers)) {
      if (storeEvents.storeError.hasSubscribers) this.#report(answers.filter(hasFailed))
      this.#answered()
      return
    }
    this.#report(answers)
    if (this.#isOpen || !this.#hasAnsweredLately()) this.#countFailure(pending, answers)
  }

  /** Notes that the store has replied, although it answered no request, because other processes keep changing what it was asked about. */
  noteReply(): void {
    this.#answered()
  }

  /** Whether an open store has refused requests lately, so that it is unavailable although it answers pings. */
  get isRefusing(): boolean {
    return this.#isOpen && processTime.monotonic() - this.#refusedAt < refusedForMs
  }

  #answered(): void {
    if (this.#failures > 0 || this.#refusedKeys.size > 0) this.#startOver()
    this.#answeredAt = processTime.monotonic()
    if (this.#isOpen) this.#close()
  }

  #hasAnsweredLately(): boolean {
    const isLately = processTime.monotonic() - this.#answeredAt < quietMs
    if (isLately) this.#startOver()
    return isLately
  }

  #startOver(): void {
    this.#failures = 0
    this.#refusedKeys.clear()
  }

  #countFailure(pending: readonly PendingRequest[], errors: readonly SluiceError[]): void {
    const isRefused = !errors.every(isUnavailable)
    if (this.#isOpen) {
      if (isRefused) this.#look(pending[0].request)
    } else if ((!isRefused || this.#noteKeys(pending)) && ++this.#failures >= failuresToOpen) {
      if (isRefused) this.#look(pending[0].request)
      else this.#open(errors[0])
    }
  }

  /** Peeks at the keys of a request that the store refused. */
  #look(request: StoreRequest): void {
    this.#ask(peekOf(request, 0), (answer) => {
      if (!hasFailed(answer)) {
        this.#answered()
        return
      }
      this.#refusedAt = processTime.monotonic()
      if (!this.#isOpen && this.#failures >= failuresToOpen) this.#open(answer)
    })
  }

  /** Returns whether one of the keys was not refused before. A single key that holds another type always fails, and must not open the breaker. */
  #noteKeys(pending: readonly PendingRequest[]): boolean {
    const known = this.#refusedKeys.size
    for (const { request } of pending) {
      const { policies, keys } = request
      this.#refusedKeys.add(JSON.stringify([policies[0].limiter, ...keys]))
    }
    return this.#refusedKeys.size > known
  }

  /** Publishes each error once per call, not once per request. */
  #report(errors: readonly SluiceError[]): void {
    if (!storeEvents.storeError.hasSubscribers) return
    for (const error of new Set(errors)) {
      storeEvents.storeError.publish({ store: this.#name, error })
    }
  }

  #open(error: SluiceError): void {
    this.#isOpen = true
    storeEvents.breaker.publish({ store: this.#name, state: 'open', error })
  }

  #close(): void {
    this.#isOpen = false
    this.#mayTry = false
    storeEvents.breaker.publish({ store: this.#name, state: 'closed', error: undefined })
  }

  #probe(): void {
    const now = processTime.monotonic()
    if (now - this.#probedAt < probeEveryMs) return
    this.#probedAt = now
    if (this.#ping === undefined) this.#mayTry = true
    else void this.#ping().then((isThere) => (this.#mayTry = isThere))
  }
}

function areFailures(answers: readonly Answer[]): answers is readonly SluiceError[] {
  for (let i = 0; i < answers.length; i++) if (!hasFailed(answers[i])) return false
  return true
}
