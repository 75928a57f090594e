/**
 * Calls a function with the `process` of Node. Undefined if the runtime has none, or if the call throws: the edge runtime of Next.js throws when a
 * program reads a member of `process` that only Node has.
 */
export function withProcess<T>(use: (process: NodeJS.Process) => T): T | undefined {
  try {
    return globalThis.process === undefined ? undefined : use(globalThis.process)
  } catch {
    return undefined
  }
}

/** Lets the process end although a timer is pending. */
export function letProcessEnd(timer: unknown): void {
  keepProcess(timer, false)
}

/** Sets whether a pending timer keeps the process alive. Only some runtimes have timers that do; elsewhere a timer is a number. */
export function keepProcess(timer: unknown, isKept: boolean): void {
  if (typeof timer !== 'object' || timer === null || !('ref' in timer) || !('unref' in timer))
    return
  const change = isKept ? timer.ref : timer.unref
  if (typeof change === 'function') change.call(timer)
}
