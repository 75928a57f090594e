/** Milliseconds since the epoch. A fraction is cut off. */
export type Clock = () => number

/** The two clocks of a store in this process. They differ only after the wall clock has been set. */
export interface Time {
  /** Does not step when the machine's clock is set: counts and waits use it. */
  monotonic: Clock
  /** Follows the machine's clock: windows that begin at a time of day use it. */
  wall: Clock
}

// A constant, because the global property is a getter in Node, and reading the clock is the greatest part of a decision in memory.
const performance = globalThis.performance

/**
 * The time of this process: monotonic, anchored to the wall clock when this module loads. Once `Date` has been replaced, both clocks follow the
 * new one: fake timers replace it, and many of them (`node:test`, Vitest before 3, `timekeeper`) replace nothing else.
 */
export const processTime: Time = {
  monotonic: () =>
    Date.now === dateNow ? Math.floor(anchor + performance.now()) : Math.floor(Date.now()),
  wall: () => Date.now(),
}

const dateNow = Date.now
const anchor = Date.now() - performance.now()
