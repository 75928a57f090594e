import { keepProcess } from '../../runtime.js'
import type { Deadline, PendingRequest } from '../pending.js'

/** The timers of a store. */
export interface Timers {
  /** Runs a function in the check phase of the event loop. */
  later(then: () => void): void
  /** Expires those of the requests that have not been answered by then. */
  begin(pending: readonly PendingRequest[], afterMs: number): void
  /** Ends the deadlines of requests that have been answered. */
  end(pending: readonly PendingRequest[]): void
}

/**
 * Timers for all requests together. The deadlines have one timer: to set and clear a timer for each takes longer than the rest of a request's way through a
 * store. The timer is set for the deadline that is due first, and stays when that deadline ends. It keeps the process alive only while there are deadlines.
 */
export function sharedTimers(expire: (late: readonly PendingRequest[]) => void): Timers {
  // In the order in which they are due. Most are added at the end, and ended at the start.
  const deadlines: Deadline[] = []
  let timer: ReturnType<typeof setTimeout> | undefined
  let timerDue = Infinity
  let waiting: (() => void)[] = []

  function set(due: number, now: number): void {
    clearTimeout(timer)
    timerDue = due
    timer = setTimeout(expireLater, Math.max(0, due - now))
  }

  /**
   * If the event loop was blocked for long, the timer fires before the replies that have arrived are read. They are in time, so the requests expire after
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
    const late = deadlines.filter((deadline) => deadline.due <= until)
    deadlines.splice(0, late.length)
    if (deadlines.length > 0 && deadlines[0].due < timerDue) set(deadlines[0].due, now)
    expire(late.flatMap(openOf))
  }

  function remove(deadline: Deadline): void {
    const at = deadlines.indexOf(deadline)
    if (at === 0) deadlines.shift()
    else if (at > 0) deadlines.splice(at, 1)
    if (deadlines.length === 0) keepProcess(timer, false)
  }

  return {
    later(then) {
      waiting.push(then)
      if (waiting.length > 1) return
      checkPhase(() => {
        const all = waiting
        waiting = []
        for (const call of all) call()
      })
    },

    begin(pending, afterMs) {
      const now = performance.now()
      const due = now + afterMs
      const deadline = createDeadline(pending, due)
      if (deadlines.length === 0) keepProcess(timer, true)
      let at = deadlines.length
      while (at > 0 && deadlines[at - 1].due > due) at--
      if (at === deadlines.length) deadlines.push(deadline)
      else deadlines.splice(at, 0, deadline)
      if (due < timerDue) set(due, now)
    },

    end: (pending) => endEach(pending, remove),
  }
}

/** Timers of each deadline alone, for a platform on which a timer of one request must not act for another. */
export function ownTimers(expire: (late: readonly PendingRequest[]) => void): Timers {
  return {
    later: (then) => checkPhase(then),

    begin(pending, afterMs) {
      const deadline = createDeadline(pending, Infinity)
      deadline.timer = setTimeout(() => checkPhase(() => expire(openOf(deadline))), afterMs)
    },

    end: (pending) => endEach(pending, ({ timer }) => clearTimeout(timer)),
  }
}

function createDeadline(pending: readonly PendingRequest[], due: number): Deadline {
  const deadline: Deadline = { pending, due, open: pending.length }
  for (let i = 0; i < pending.length; i++) pending[i].deadline = deadline
  return deadline
}

function openOf({ pending }: Deadline): readonly PendingRequest[] {
  return pending.filter(({ isAnswered }) => !isAnswered)
}

/** @param remove ends a deadline all of whose requests have been answered */
function endEach(pending: readonly PendingRequest[], remove: (deadline: Deadline) => void): void {
  for (let i = 0; i < pending.length; i++) {
    const { deadline } = pending[i]
    if (deadline !== undefined && --deadline.open === 0) remove(deadline)
  }
}

const schedule: (then: () => void) => void = (() => globalThis.setImmediate ?? setTimeout)()

/** Runs a function in the check phase of the event loop, after the sockets have been read. Some platforms refuse to call their timers as methods. */
export function checkPhase(then: () => void): void {
  schedule(then)
}
