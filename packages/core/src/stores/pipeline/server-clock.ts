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
