import { processTime } from '../../clock.js'
import { sluiceError, type SluiceError } from '../../errors.js'
import { storeEvents } from '../events.js'
import { hasFailed, isUnavailable, PendingRequest } from '../queue/pending.js'
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
 * Stops calling a store that is unavailable. After three consecutive calls that failed as a whole, without any answer for `quietMs`, it opens: requests fail
 * immediately, and make it ping the store. After a successful ping it is half open: one request tries the store. So the store is in use again within two
 * probes of its recovery, without a timer. A store without a ping is tried with a request at each probe.
 *
 * A store may also answer each request with an error. One that refuses only writes, such as a Redis that is out of memory, still knows which keys are over their
 * limit, so it stays in use. It opens if the store refuses three keys in a row and then a peek at one of them.
 */
export class Breaker {
  readonly #name: string
  readonly #ping: (() => Promise<boolean>) | undefined
  /** Sends a request past the breaker. */
  readonly #send: (pending: PendingRequest) => void
  #state: 'closed' | 'open' | 'half-open' = 'closed'
  #failures = 0
  /** The keys of the failed calls that the store answered with an error. A single key that holds another type always fails, and must not open the breaker. */
  readonly #refusedKeys = new Set<string>()
  #refusedAt = -Infinity
  #peek: PendingRequest | undefined
  #answeredAt = -Infinity
  #probedAt = -Infinity

  constructor(
    name: string,
    ping: (() => Promise<boolean>) | undefined,
    send: (pending: PendingRequest) => void,
  ) {
    this.#name = name
    this.#ping = ping
    this.#send = send
  }

  /** The error of a request that must not be sent; undefined if the request may be sent. */
  refuses(): SluiceError | undefined {
    if (this.#state === 'closed') return undefined
    if (this.#state === 'open') this.#probe()
    if (this.#state === 'open') return sluiceError('SLUICE_STORE_UNAVAILABLE', this.#name)
    // Of several requests at the same time, only one tries the store.
    this.#state = 'open'
    return undefined
  }

  /** Counts the answers to a call. */
  complete(pending: readonly PendingRequest[], answers: readonly Answer[]): void {
    if (pending.length === 1 && pending[0] === this.#peek) return
    const isClosed = this.#state === 'closed'
    if (!answers.every(hasFailed)) this.replied()
    else if (isClosed && processTime.monotonic() - this.#answeredAt < quietMs) this.#startOver()
    else if (!answers.every(isUnavailable)) this.#refuse(pending)
    else if (isClosed && ++this.#failures >= failuresToOpen) this.#change('open', answers[0])
  }

  /** The store has replied, although it may have answered no request, because other processes keep changing what it was asked about. */
  replied(): void {
    this.#startOver()
    this.#answeredAt = processTime.monotonic()
    if (this.#state !== 'closed') this.#change('closed', undefined)
  }

  /** Whether an open store has refused requests lately, so that it is unavailable although it answers pings. */
  get isRefusing(): boolean {
    return this.#state !== 'closed' && processTime.monotonic() - this.#refusedAt < refusedForMs
  }

  #startOver(): void {
    if (this.#failures === 0) return
    this.#failures = 0
    this.#refusedKeys.clear()
  }

  /** Counts a call that the store has answered with errors, if it asked for another key than those before. */
  #refuse(pending: readonly PendingRequest[]): void {
    const known = this.#refusedKeys.size
    for (const { request } of pending) {
      this.#refusedKeys.add(JSON.stringify([request.policies[0].limiter, ...request.keys]))
    }
    if (this.#state === 'closed') {
      if (this.#refusedKeys.size === known || ++this.#failures < failuresToOpen) return
    }
    this.#look(pending[0].request)
  }

  #look(request: StoreRequest): void {
    this.#peek = new PendingRequest(peekOf(request, 0), (answer) => {
      if (!hasFailed(answer)) return this.replied()
      this.#refusedAt = processTime.monotonic()
      if (this.#state === 'closed' && this.#failures >= failuresToOpen) this.#change('open', answer)
    })
    this.#send(this.#peek)
  }

  #change(state: 'open' | 'closed', error: SluiceError | undefined): void {
    this.#state = state
    storeEvents.breaker.publish({ store: this.#name, state, error })
  }

  #probe(): void {
    const now = processTime.monotonic()
    if (now - this.#probedAt < probeEveryMs) return
    this.#probedAt = now
    const halfOpen = (isThere: boolean): void => {
      if (isThere && this.#state === 'open') this.#state = 'half-open'
    }
    if (this.#ping === undefined) halfOpen(true)
    else void this.#ping().then(halfOpen)
  }
}
