/** A call that has to be answered in time. */
export interface TimedCall {
  /** The time, of `performance.now`, at which the call has taken too long. */
  due: number
}

export interface Deadlines<C extends TimedCall> {
  /** Expires the call after this time, unless it is ended before. */
  begin(call: C, afterMs: number): void
  end(call: C): void
}

/**
 * The deadlines of calls that mostly end in time, with one timer for all of them: to set and clear a timer for each call takes longer than the rest of its
 * way through a store. The timer is set for the call that is due first, and stays when that call ends. It keeps the process alive only while there are
 * calls.
 */
export function createDeadlines<C extends TimedCall>(expire: (call: C) => void): Deadlines<C> {
  // In the order in which they are due. Most calls are added at the end, and ended at the start.
  const calls: C[] = []
  let timer: ReturnType<typeof setTimeout> | undefined
  let timerDue = Infinity

  function set(due: number, now: number): void {
    clearTimeout(timer)
    timerDue = due
    timer = setTimeout(expireLater, Math.max(0, due - now))
  }

  /**
   * If the event loop was blocked for long, the timer fires before the replies that have arrived are read. They are in time, so the calls expire after
   * the sockets have been read.
   */
  function expireLater(): void {
    const due = timerDue
    timer = undefined
    timerDue = Infinity
    checkPhase(() => expireUntil(due))
  }

  function expireUntil(due: number): void {
    // Timers may fire a little early, and a replaced clock may stop.
    const now = performance.now()
    const until = Math.max(due, now)
    const late = calls.filter((call) => call.due <= until)
    calls.splice(0, late.length)
    if (calls.length > 0 && calls[0].due < timerDue) set(calls[0].due, now)
    for (const call of late) expire(call)
  }

  return {
    begin(call, afterMs) {
      const now = performance.now()
      call.due = now + afterMs
      if (calls.length === 0) keepAlive(timer, true)
      let at = calls.length
      while (at > 0 && calls[at - 1].due > call.due) at--
      if (at === calls.length) calls.push(call)
      else calls.splice(at, 0, call)
      if (call.due < timerDue) set(call.due, now)
    },

    end(call) {
      const at = calls.indexOf(call)
      if (at === 0) calls.shift()
      else if (at > 0) calls.splice(at, 1)
      if (calls.length === 0) keepAlive(timer, false)
    },
  }
}

/** Only Node.js has timers that do not keep the process alive. */
function keepAlive(timer: unknown, alive: boolean): void {
  if (typeof timer !== 'object' || timer === null || !('ref' in timer) || !('unref' in timer))
    return
  const change = alive ? timer.ref : timer.unref
  if (typeof change === 'function') change.call(timer)
}

/** Runs a function in the check phase of the event loop, after the sockets have been read. */
export const checkPhase: (then: () => void) => void = (() =>
  globalThis.setImmediate ?? setTimeout)()
