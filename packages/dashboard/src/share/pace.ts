import { setTimeout as delay } from 'node:timers/promises'

/** Lets at most a number of items pass in a second, for all callers together, in their order. */
export class Pace {
  readonly #perSecond: number
  /** The monotonic time at which the next items may pass. */
  #nextAt = -Infinity

  constructor(perSecond: number) {
    this.#perSecond = perSecond
  }

  /** How long the next items would wait. */
  get waitMs(): number {
    return Math.max(0, this.#nextAt - performance.now())
  }

  /** Waits for the turn of some items. */
  async take(items: number): Promise<void> {
    const { waitMs } = this
    this.#nextAt = performance.now() + waitMs + (items / this.#perSecond) * 1000
    if (waitMs > 0) await delay(waitMs)
  }
}
