import { settleBy, type RowAlgorithm } from '../algorithm.js'
import { gcraLua } from '../gcra/script.js'
import { isForeign } from '../gcra/span.js'
import {
  backlog,
  backlogAtMost,
  gcraSteps,
  idleAt,
  isLast,
  shorten,
  type GcraParams,
} from '../gcra/step.js'
import { functionsOf } from '../plain-lua.js'

/**
 * The recurrence of GCRA with a limit on the wait instead of the level. `burst` is the number of requests of cost 1 that an idle queue allows at
 * once.
 */
export type LeakyQueueParams = GcraParams & {
  readonly maxDelay: number
  /** The largest cost: ten years of the queue's time. */
  readonly largest: number
}

export const leakyQueueSteps: RowAlgorithm<LeakyQueueParams> = {
  ...gcraSteps,
  // That of GCRA reads a row by the steps of the meter.
  settle: (decided, cost) => settleBy(leakyQueueSteps, decided, cost),
  id: 4,
  args: ({ maxDelay, largest, ...params }) => [...gcraSteps.args(params, 0), maxDelay, largest],

  look(row, params, now, cost) {
    gcraSteps.look(row, params, now, 0)
    return leakyQueueSteps.wait(row, params, now, cost) === 0
  },

  // The requests behind it keep their times, so only the last one of the queue leaves room.
  refundReceipt(row, params, now, cost, receipt) {
    if (isForeign(row, params.span) || !isLast(receipt, row)) return
    shorten(row, params, now, cost * params.every)
  },

  wait(row, params, now, cost) {
    const { refill, maxDelay, largest } = params
    if (cost > largest) return Infinity
    return Math.max(0, backlogAtMost(row, params, maxDelay * refill) - now)
  },

  used(row, params, now) {
    const { burst, refill, every, maxDelay } = params
    const room = maxDelay * refill - Math.max(0, backlog(row, params, now))
    return room < 0 ? burst : burst - 1 - Math.floor(room / every)
  },

  next(row, params, now, remaining) {
    const { refill, every, maxDelay, burst } = params
    if (remaining > burst) return Infinity
    const most = maxDelay * refill - (remaining - 1) * every
    return Math.max(0, backlogAtMost(row, params, most) - now)
  },

  delay(row, params, now, cost, taken) {
    const before = backlog(row, params, now) - (taken ? cost * params.every : 0)
    return Math.max(0, Math.ceil(before / params.refill))
  },

  queueWait: (row, params, now, cost) => leakyQueueSteps.wait(row, params, now, cost),
  full: idleAt,
}

export const leakyQueueLua = (): string => `
-- row, and params 1 to 6: as for GCRA; 7 maxDelay, 8 the largest cost
(function()
  local steps = ${functionsOf(gcraLua())}
  local gcraLook = steps.look

  function steps.look(row, params, now, cost)
    gcraLook(row, params, now, 0)
    return cost <= params[8] and now >= steps.backlogAtMost(row, params, params[7] * params[2])
  end

  function steps.refundReceipt(row, params, now, cost, receipt)
    if row[1] ~= receipt[1] or row[2] ~= receipt[2] or steps.isForeign(row, params) then return end
    steps.shorten(row, params, now, cost * params[3])
  end

  return steps
end)()`
