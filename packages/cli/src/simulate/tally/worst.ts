const stretchMs = 5 * 60_000

/** Finds the five minutes of the clock with the largest share of denials. */
export class Worst {
  from = 0
  share = 0
  #start = -Infinity
  #asked = 0
  #denied = 0

  ask(at: number): void {
    if (at >= this.#start + stretchMs) {
      this.close()
      this.#start = Math.floor(at / stretchMs) * stretchMs
      this.#asked = 0
      this.#denied = 0
    }
    this.#asked++
  }

  deny(): void {
    this.#denied++
  }

  /** Ends the current five minutes. */
  close(): void {
    const share = this.#asked === 0 ? 0 : this.#denied / this.#asked
    if (share <= this.share) return
    this.share = share
    this.from = this.#start
  }
}
