/** Counts requests and denials over time, in intervals. If the log needs more intervals, neighbours are merged and the width doubles. */
export class Series {
  /** The start of the first interval. NaN before the first request. */
  start: number = Number.NaN
  widthMs: number
  /** The number of intervals in use. */
  length = 0
  readonly asked: Float64Array
  readonly denied: Float64Array
  #end = -Infinity
  #current = 0

  constructor(stretches = 600, widthMs = 1000) {
    this.widthMs = widthMs
    this.asked = new Float64Array(stretches)
    this.denied = new Float64Array(stretches)
  }

  /** Counts a request. Its time must not be earlier than that of the last one. */
  ask(at: number): void {
    if (at >= this.#end) this.#advance(at)
    this.asked[this.#current]++
  }

  /** Counts the denial of the last request. */
  deny(): void {
    this.denied[this.#current]++
  }

  #advance(at: number): void {
    if (Number.isNaN(this.start)) this.start = Math.floor(at / this.widthMs) * this.widthMs
    while (this.#indexOf(at) >= this.asked.length) this.#double()
    this.#current = Math.max(0, this.#indexOf(at))
    this.length = this.#current + 1
    this.#end = this.start + this.length * this.widthMs
  }

  #indexOf(at: number): number {
    return Math.floor((at - this.start) / this.widthMs)
  }

  #double(): void {
    this.widthMs *= 2
    // The start stays a multiple of the width, so that intervals start at round times.
    const start = Math.floor(this.start / this.widthMs) * this.widthMs
    const shift = start === this.start ? 0 : 1
    this.start = start
    merge(this.asked, shift)
    merge(this.denied, shift)
  }
}

function merge(counts: Float64Array, shift: number): void {
  const merged = new Float64Array(counts.length)
  for (let i = 0; i < counts.length; i++) merged[(i + shift) >> 1] += counts[i]
  counts.set(merged)
}
