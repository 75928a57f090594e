/**
 * What this process knows of the server's clock. A reply that carries the server's time tells that the two clocks differ by no less than
 * that time minus the moment of its arrival, and by no more than that time minus the moment the call was sent.
 */
export interface ServerClock {
  /** Takes one reply into account. Moments are this process's monotonic milliseconds. */
  learn(sentAt: number, arrivedAt: number, serverMs: number): void
  /** This process's moment on the server's clock: until the first reply as if the two were set alike, then early by at most a round trip. */
  at(moment: number): number
}

export function createServerClock(): ServerClock {
  let offset = 0

  return {
    learn(sentAt, arrivedAt, serverMs) {
      const least = serverMs - arrivedAt
      const most = serverMs + 1 - sentAt
      // Kept where it is while it can be true: a slow reply says less, not something else. A clock that was set moves both ends past it.
      offset = Math.min(Math.max(offset, least), most)
    },
    at: (moment) => Math.floor(moment + offset),
  }
}
