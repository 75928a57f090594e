/** Runs a function in the check phase of the event loop, after the sockets have been read. */
export const checkPhase: (then: () => void) => void = (() =>
  globalThis.setImmediate ?? setTimeout)()
