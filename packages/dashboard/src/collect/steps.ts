/** The length of a step. */
export const stepMs = 10_000

/** The steps of an hour. */
export const stepCount = 360

/** A clock that is behind the current step by more than this was set back: the series start again. */
export const setBackMs = 60_000

/** Counts of the last hour, one for each step. The place of a step is its number modulo `stepCount`. */
export type Ring = Uint32Array

export function createRing(): Ring {
  return new Uint32Array(stepCount)
}

/** The number of the step that contains a time. */
export function stepOf(time: number): number {
  return Math.floor(time / stepMs)
}

/** When the series begins that ends with a step. */
export function startOf(step: number): number {
  return (step - stepCount + 1) * stepMs
}

/** The counts of the hour that ends with a step, the oldest first. */
export function countsOf(ring: Ring, step: number): number[] {
  const at = (step % stepCount) + 1
  const counts = Array<number>(stepCount)
  // A spread of typed arrays takes several times as long.
  for (let i = 0; i < stepCount; i++) counts[i] = ring[(at + i) % stepCount]
  return counts
}

/** The sum of the hour. */
export function sumOf(ring: Ring): number {
  let sum = 0
  for (const count of ring) sum += count
  return sum
}

/** Clears the places of the steps after one step, up to another one. */
export function clearSteps(ring: Ring, after: number, to: number): void {
  if (to - after >= stepCount) ring.fill(0)
  else for (let step = after + 1; step <= to; step++) ring[step % stepCount] = 0
}
