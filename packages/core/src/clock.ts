/** Milliseconds since the epoch. A fraction is cut off. */
export type Clock = () => number

/** The two readings that a store in this process needs. They differ only once the wall clock has been set. */
export interface Time {
  /** Never steps, and runs on when the machine's clock is set: counts and waits go by it. */
  monotonic: Clock
  /** Follows the machine's clock: windows that begin at a time of day go by it. */
  wall: Clock
}

/** The process's own time: monotonic, anchored once to the wall when this module loads. */
export const processTime: Time = {
  monotonic: () => Math.floor(anchor + performance.now()),
  wall: Date.now,
}

const anchor = Date.now() - performance.now()
