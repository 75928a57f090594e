/**
 * Intervals of time in which several series count. If the log needs more intervals, neighbours are merged and the width doubles, in all series at once,
 * so that the numbers of one interval belong together.
 */
export class Timeline {
  widthMs: number
  readonly #intervals: number
  readonly #series: Float64Array[] = []
  /** The start of the first interval. NaN before the first request. */
  #start: number = Number.NaN
  #end = -Infinity
  #current = 0

  constructor(intervals = 600, widthMs = 1000) {
    this.#intervals = intervals
    this.widthMs = widthMs
  }

  /** A new series: a count for each interval. */
  series(): Float64Array {
    const counts = new Float64Array(this.#intervals)
    this.#series.push(counts)
    return counts
  }

  /** The interval of a time, which must not be earlier than the last one. */
  at(time: number): number {
    if (time >= this.#end) this.#advance(time)
    return this.#current
  }

  /** The intervals in which a series has counts, and their starts. */
  pointsOf(series: Float64Array): readonly { readonly at: number; readonly interval: number }[] {
    const points: { at: number; interval: number }[] = []
    for (let interval = 0; interval < series.length; interval++) {
      if (series[interval] === 0) continue
      points.push({ at: this.#start + interval * this.widthMs, interval })
    }
    return points
  }

  #advance(time: number): void {
    if (Number.isNaN(this.#start)) this.#start = this.#floor(time)
    while (this.#indexOf(time) >= this.#intervals) this.#double()
    this.#current = Math.max(0, this.#indexOf(time))
    this.#end = this.#start + (this.#current + 1) * this.widthMs
  }

  #indexOf(time: number): number {
    return Math.floor((time - this.#start) / this.widthMs)
  }

  #floor(time: number): number {
    return Math.floor(time / this.widthMs) * this.widthMs
  }

  #double(): void {
    this.widthMs *= 2
    // The start stays a multiple of the width, so that intervals start at round times.
    const start = this.#floor(this.#start)
    const shift = start === this.#start ? 0 : 1
    this.#start = start
    for (const counts of this.#series) merge(counts, shift)
  }
}

function merge(counts: Float64Array, shift: number): void {
  const merged = new Float64Array(counts.length)
  for (let i = 0; i < counts.length; i++) merged[(i + shift) >> 1] += counts[i]
  counts.set(merged)
}
