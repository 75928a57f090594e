/** The length of a step. */
export const stepMs = 10_000

/** The steps of an hour. */
export const stepCount = 360

/** A clock that is behind the current step by more than this was set back: the series start again. */
export const setBackMs = 60_000

/** Counts of the last hour, one for each step. */
export type Series = readonly number[]

/** Counts of the last hour whose place is the number of their step modulo `stepCount`. */
export type Ring = number[]

export function createRing(): Ring {
  return Array<number>(stepCount).fill(0)
}

/** The number of the step that contains a time. */
export function stepOf(time: number): number {
  return Math.floor(time / stepMs)
}

/** When the series begins whose last step contains a time. */
export function startOf(time: number): number {
  return (stepOf(time) - stepCount + 1) * stepMs
}

/** The counts of the hour that ends with a step, the oldest first. */
export function seriesOf(ring: Ring, step: number): Series {
  const at = (step % stepCount) + 1
  return [...ring.slice(at), ...ring.slice(0, at)]
}

export function sumOf(counts: Series): number {
  return counts.reduce((sum, count) => sum + count, 0)
}

/** Clears the places of the steps after one step, up to another one. */
export function clearSteps(ring: Ring, after: number, to: number): void {
  if (to - after >= stepCount) ring.fill(0)
  else for (let step = after + 1; step <= to; step++) ring[step % stepCount] = 0
}
