/** A call that has to be answered in time. */
export class TimedCall {
  /** The time, of `performance.now`, at which the call has taken too long. */
  readonly due: number
  readonly expire: () => void
  before: TimedCall = this
  after: TimedCall = this

  constructor(due: number, expire: () => void) {
    this.due = due
    this.expire = expire
  }
}

export interface Timeouts {
  /** Calls `expire` after this time, unless the call is ended before. */
  begin(afterMs: number, expire: () => void): TimedCall
  end(call: TimedCall): void
}

/**
 * Timeouts of calls that mostly end in time, with one timer for all of them: to set and clear a timer for each call takes longer than the rest of its
 * way through the layers. The timer is set for the call that is due first, and stays when that call ends. It keeps the process alive only while there
 * are calls.
 */
export function createTimeouts(): Timeouts {
  // A linked list, so that a call is removed in constant time.
  const calls: TimedCall = new TimedCall(Infinity, () => {})
  let timer: ReturnType<typeof setTimeout> | undefined
  let timerDue = Infinity

  function set(due: number, now: number): void {
    clearTimeout(timer)
    timerDue = due
    timer = setTimeout(expire, Math.max(0, due - now))
  }

  /**
   * If the event loop was blocked for long, the timer fires before the replies that have arrived are read. They are in time, so the calls expire after
   * the sockets have been read.
   */
  function expire(): void {
    const due = timerDue
    timer = undefined
    timerDue = Infinity
    nextTurn(() => expireUntil(due))
  }

  function expireUntil(due: number): void {
    // Timers may fire a little early, and a replaced clock may stop.
    const now = performance.now()
    const until = Math.max(due, now)
    const late: TimedCall[] = []
    let next = Infinity
    for (let call = calls.after; call !== calls; call = call.after) {
      if (call.due <= until) late.push(call)
      else next = Math.min(next, call.due)
    }
    if (next < timerDue) set(next, now)
    for (const call of late) {
      // The `expire` of an earlier call may have ended this one.
      if (call.after === call) continue
      remove(call)
      call.expire()
    }
  }

  return {
    begin(afterMs, expire) {
      const now = performance.now()
      const call = new TimedCall(now + afterMs, expire)
      if (calls.after === calls) keepAlive(timer, true)
      call.before = calls.before
      call.after = calls
      calls.before.after = call
      calls.before = call
      if (call.due < timerDue) set(call.due, now)
      return call
    },

    end(call) {
      remove(call)
      if (calls.after === calls) keepAlive(timer, false)
    },
  }
}

function remove(call: TimedCall): void {
  call.before.after = call.after
  call.after.before = call.before
  call.before = call.after = call
}

/** Only Node.js has timers that do not keep the process alive. */
function keepAlive(timer: unknown, alive: boolean): void {
  if (typeof timer !== 'object' || timer === null || !('ref' in timer) || !('unref' in timer))
    return
  const change = alive ? timer.ref : timer.unref
  if (typeof change === 'function') change.call(timer)
}

const nextTurn: (then: () => void) => void = (() => globalThis.setImmediate ?? setTimeout)()
