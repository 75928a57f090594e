const schedule: (then: () => void) => void = (() => globalThis.setImmediate ?? setTimeout)()

/** Runs a function in the check phase of the event loop, after the sockets have been read. Some platforms refuse to call their timers as methods. */
export function checkPhase(then: () => void): void {
  schedule(then)
}
