/** Milliseconds since the epoch. A fraction is cut off. */
export type Clock = () => number

/** The two readings that a store in this process needs. They differ only once the wall clock has been set. */
export interface Time {
  /** Never steps, and runs on when the machine's clock is set: counts and waits go by it. */
  monotonic: Clock
  /** Follows the machine's clock: windows that begin at a time of day go by it. */
  wall: Clock
}

const { process } = globalThis

/** What the machine has counted up, in milliseconds, from no moment in particular. */
const elapsed: Clock = process?.hrtime === undefined ? () => performance.now() : hrtimeMs

/**
 * The process's own time: monotonic, anchored once to the wall when this module loads. Once `Date` has been replaced, both clocks go by the new
 * one: fake timers replace it, and many of them (`node:test`, Vitest before 3, `timekeeper`) replace nothing else.
 */
export const processTime: Time = {
  monotonic: () => (Date.now === dateNow ? Math.floor(anchor + elapsed()) : Math.floor(Date.now())),
  wall: () => Date.now(),
}

const dateNow = Date.now
const anchor = Date.now() - elapsed()

/** The same clock as `performance.now`, for two thirds of its price: to read it is the greater part of a decision in memory. */
function hrtimeMs(): number {
  const time = process.hrtime()
  return time[0] * 1000 + time[1] / 1e6
}
