/**
 * Takes a part of a sequence at random. Every n-th item would not do: if each request makes two decisions, these could all be of one limiter.
 */
export class Sample {
  readonly #part: number
  /** The items to leave out before the next one. */
  #left: number

  /** @param part above 0, up to 1 */
  constructor(part: number) {
    this.#part = part
    this.#left = this.#gap()
  }

  /** The number of items that this one counts as: 0 if it is left out. The average is 1. */
  take(): number {
    if (this.#part === 1) return 1
    if (this.#left-- > 0) return 0
    this.#left = this.#gap()
    // A count is a whole number.
    return Math.floor(1 / this.#part + Math.random())
  }

  /** A number of the geometric distribution. */
  #gap(): number {
    return this.#part === 1 ? 0 : Math.floor(Math.log(1 - Math.random()) / Math.log(1 - this.#part))
  }
}
