import type { Algorithm, Row } from '../algorithm.js'
import { isForeign } from '../gcra/span.js'
import {
  backlog,
  backlogAtMost,
  gcraSteps,
  idleAt,
  isLast,
  shorten,
  type GcraParams,
} from '../gcra/steps.js'

/**
 * The recurrence of GCRA with a limit on the wait instead of the level. `burst` is the number of requests of cost 1 that an idle queue allows at
 * once.
 */
export interface LeakyQueueParams extends GcraParams {
  readonly maxDelay: number
  /** The largest cost: ten years of the queue's time, or a month if a number cannot count ten years. */
  readonly largest: number
}

export const leakyQueueSteps: Algorithm<LeakyQueueParams> = {
  ...gcraSteps,
  id: 4,
  args: ({ maxDelay, largest, ...params }) => [...gcraSteps.args(params, 0), maxDelay, largest],

  look(row, params, now, cost) {
    gcraSteps.look(row, params, now, 0)
    return queueWait(row, params, now, cost) === 0
  },

  // The requests behind it keep their times, so only the last one of the queue can return its own.
  refund(row, params, now, units, receipt) {
    if (receipt === undefined) gcraSteps.refund(row, params, now, units)
    else if (isLast(receipt, row) && !isForeign(row, params.span)) {
      shorten(row, params, now, units * params.every)
    }
  },

  used(row, params, now) {
    const { burst, refill, every, maxDelay } = params
    const left = maxDelay * refill - Math.max(0, backlog(row, params, now))
    return left < 0 ? burst : burst - 1 - Math.floor(left / every)
  },

  read(row, params, now, cost, isTaken, target) {
    const { burst, refill, every, maxDelay } = params
    const used = leakyQueueSteps.used(row, params, now)
    const units = target ?? Math.max(0, burst - used) + 1
    const most = maxDelay * refill - (units - 1) * every
    const next = units > burst ? Infinity : Math.max(0, backlogAtMost(row, params, most) - now)
    const queue = queueWait(row, params, now, cost)
    const before = backlog(row, params, now) - (isTaken ? cost * every : 0)
    const delay = Math.max(0, Math.ceil(before / refill))
    return { used, wait: isTaken ? 0 : queue, next, full: idleAt(row), delay, queue }
  },
}

function queueWait(row: Row, params: LeakyQueueParams, now: number, cost: number): number {
  const { refill, maxDelay, largest } = params
  if (cost > largest) return Infinity
  return Math.max(0, backlogAtMost(row, params, maxDelay * refill) - now)
}
