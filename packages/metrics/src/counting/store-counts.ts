import { Bounded } from './bounded.js'
import type { BreakerCounted, StoreCallCounted } from './events.js'
import { changeGauge } from './limiter-counts.js'
import type { Family, Labels, Series } from './series.js'

/** The metrics that stores have. */
export interface StoreFamilies {
  readonly storeRequests: Family
  readonly storeErrors: Family
  readonly breakerOpen: Family
}

/** Returns the function that records the durations of the calls with these labels, in seconds. */
export type CallTimes = (labels: Labels) => (seconds: number) => void

const mostCodes = 20

/** The errors that any store can have. Their counters begin at zero, so that the first error is an increase. */
const usualCodes = ['SLUICE_STORE_FAILED', 'SLUICE_STORE_TIMEOUT']

/** The numbers of one store. */
export class StoreCounts {
  readonly #requests: Series
  readonly #errors: Bounded<Series>
  readonly #breaker: Series
  readonly #record: (seconds: number) => void

  constructor(store: string, families: StoreFamilies, callTimes: CallTimes) {
    this.#requests = families.storeRequests.add({ store })
    this.#errors = new Bounded({ left: mostCodes }, (code) =>
      families.storeErrors.add({ store, code }),
    )
    this.#breaker = families.breakerOpen.add({ store })
    this.#record = callTimes({ store })
    for (const code of usualCodes) this.#errors.get(code)
  }

  call({ requests, durationMs }: StoreCallCounted): void {
    this.#requests.value += requests
    this.#record(durationMs / 1000)
  }

  fail(code: string): void {
    this.#errors.get(code).value++
  }

  changeBreaker(state: BreakerCounted['state']): void {
    changeGauge(this.#breaker, state === 'open')
  }
}
