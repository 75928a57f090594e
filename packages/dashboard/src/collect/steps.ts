/** The length of a step. */
export const stepMs = 10_000

/** The steps of an hour. */
export const stepCount = 360

/** Counts of the last hour, one for each step. */
export type Series = readonly number[]

/** The counts of an hour, without one. */
export const noCounts: Series = Object.freeze(Array<number>(stepCount).fill(0))

/** The number of the step that contains a time. */
export function stepOf(time: number): number {
  return Math.floor(time / stepMs)
}

/** When the series begins whose last step contains a time. */
export function startOf(time: number): number {
  return (stepOf(time) - stepCount + 1) * stepMs
}

export function sumOf(counts: Series): number {
  return counts.reduce((sum, count) => sum + count, 0)
}

/** Counts of the last hour. The place of a step is its number modulo `stepCount`. */
export class Ring {
  readonly #counts = [...noCounts]
  #step = -Infinity

  /** Counts one in a step. */
  add(step: number): void {
    this.#advance(step)
    this.#counts[step % stepCount]++
  }

  /** The counts of the hour that ends with a step, the oldest first. */
  series(step: number): Series {
    this.#advance(step)
    const at = (step % stepCount) + 1
    return [...this.#counts.slice(at), ...this.#counts.slice(0, at)]
  }

  /** Clears the places of the steps since the last one; all of them after an hour, and if the clock was set back. */
  #advance(step: number): void {
    const from = this.#step
    this.#step = step
    if (step < from || step - from >= stepCount) this.#counts.fill(0)
    else for (let one = from + 1; one <= step; one++) this.#counts[one % stepCount] = 0
  }
}
