import { sluiceError } from './errors.js'

/** Milliseconds since the epoch. A fraction is cut off. */
export type Clock = () => number

/** In the year 6429: half of the range of the six bytes that a time takes in Redis, so that windows also end within that range. */
export const tooLate: number = 2 ** 47

/**
 * Reads an injected clock.
 *
 * @throws SluiceError SLUICE_CLOCK_INVALID, such as for microseconds, with which most algorithms would limit nothing
 */
export function readClock(clock: () => unknown): number {
  const value = clock()
  const now = typeof value === 'number' ? Math.floor(value) : -1
  if (now >= 0 && now < tooLate) return now
  throw sluiceError('SLUICE_CLOCK_INVALID', value)
}

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

// In Workers, the origin is 0, so both clocks are the same. While a module loads they show 0, so an anchor would add their time twice.
const dateNow = performance.timeOrigin === 0 ? undefined : Date.now
const anchor = Date.now() - performance.now()

/**
 * Estimates the server's clock. Each reply contains the server's time, which bounds the offset between the two clocks: the offset is at least that
 * time minus the moment of arrival, and at most that time minus the moment of sending.
 */
export interface ServerClock {
  /** Updates the estimate from one reply. `sentAt` and `arrivedAt` are monotonic milliseconds of this process. */
  learn(sentAt: number, arrivedAt: number, serverMs: number): void
  /** Converts a monotonic moment of this process to the server's time. Before the first reply, the offset is the first one. */
  at(moment: number): number
}

/** @param first the offset before the first reply. With -Infinity, the estimate after it is as early as the reply allows. */
export function createServerClock(first = 0): ServerClock {
  let offset = first

  return {
    learn(sentAt, arrivedAt, serverMs) {
      const least = serverMs - arrivedAt
      const most = serverMs + 1 - sentAt
      // The offset changes only if it is outside the bounds: a slow reply widens them, and a change of either clock moves both past the offset.
      offset = Math.min(Math.max(offset, least), most)
    },
    at: (moment) => Math.floor(moment + offset),
  }
}
