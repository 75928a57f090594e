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

/** Lets the process end although a timer is pending. Only some runtimes have timers that keep it alive; elsewhere a timer is a number. */
export function letProcessEnd(timer: { unref?(): unknown } | number): void {
  if (typeof timer === 'object') timer.unref?.()
}
