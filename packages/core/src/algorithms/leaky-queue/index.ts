import type { Duration, DurationLiteral } from '../../options/durations.js'
import {
  assertExact,
  duration,
  durationOrZero,
  longestMs,
  positiveCount,
  readOptions,
} from '../../options/readers.js'
import { blockOption, type Blocking, type Policy } from '../../policy.js'
import type { Algorithm, Row } from '../algorithm.js'
import { countedRate } from '../gcra/rate.js'
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
import { policyOf, type Kind } from '../kind.js'

/** Options of `leakyQueue`. */
export interface LeakyQueueOptions extends Blocking {
  /** Requests that leave the queue in each `every`, evenly spread. */
  readonly leak: number
  /** The time in which `leak` requests leave. */
  readonly every: Duration
  /**
   * The longest time that a request may wait in the queue, also in `acquire`. 0 is minimum spacing without a queue: a request that arrives too early
   * is denied.
   */
  readonly maxDelay: Duration
}

/** A policy of `leakyQueue`. */
export interface LeakyQueuePolicy extends Policy {
  readonly kind: 'leakyQueue'
  readonly leak: number
  readonly every: number
  readonly maxDelay: number
}

/**
 * Traffic shaping: requests leave the queue one after another, `leak` in each `every`. The decision about an allowed request has the time to
 * wait (`delayMs`). A request is denied if that would be longer than `maxDelay`. A refund of a decision returns its time only if it is the last one of the
 * queue, because the requests behind it keep theirs.
 *
 * Source: the leaky bucket as a queue, Turner, "New directions in communications" (1986).
 *
 * @example
 * leakyQueue({ leak: 10, every: '1s', maxDelay: '5s' })
 * @throws SluiceError if an option is missing, unknown or out of range
 */
export function leakyQueue<const T extends Duration>(
  options: LeakyQueueOptions & Record<'every', DurationLiteral<T>>,
): LeakyQueuePolicy {
  const policy = readOptions('leakyQueue', options, {
    leak: positiveCount,
    every: duration,
    maxDelay: durationOrZero,
    block: blockOption,
  })
  assertExact('leakyQueue', 'leak × (maxDelay + a month)', mostFractions(paramsOf(policy)))
  return policyOf('leakyQueue', leakyQueueKind, policy)
}

export const leakyQueueKind: Kind<LeakyQueuePolicy, LeakyQueueParams> = {
  build: leakyQueue,
  quotas: ['leak'],
  steps: () => leakyQueueSteps,
  params: paramsOf,
}

type Queue = Pick<LeakyQueuePolicy, 'leak' | 'every' | 'maxDelay'>

/** One request may take ten years of the queue's time, or a month if a number can count no more. */
function paramsOf(queue: Queue): LeakyQueueParams {
  const params = paramsFor(queue, longestMs)
  return mostFractions(params) < 2 ** 53 ? params : paramsFor(queue, 30 * 86_400_000)
}

function paramsFor({ leak, every, maxDelay }: Queue, requestMs: number): LeakyQueueParams {
  const units = ((maxDelay + requestMs) * leak) / every
  const counted = countedRate({ burst: units, refill: leak, every })
  const burst = Math.floor((maxDelay * counted.refill) / counted.every) + 1
  const largest = Math.floor((requestMs * counted.refill) / counted.every)
  return { ...counted, burst, initial: burst, remembered: 0, span: 0, maxDelay, largest }
}

/** The longest backlog. */
function mostFractions({ refill, every, maxDelay, largest }: LeakyQueueParams): number {
  return maxDelay * refill + largest * every
}

/**
 * The recurrence of GCRA with a limit on the wait instead of the level. `burst` is the number of requests of cost 1 that an idle queue allows at
 * once.
 */
interface LeakyQueueParams extends GcraParams {
  readonly maxDelay: number
  /** The largest cost: ten years of the queue's time, or a month if a number cannot count ten years. */
  readonly largest: number
}

const leakyQueueSteps: Algorithm<LeakyQueueParams> = {
  ...gcraSteps,
  id: 4,
  ahead: undefined,
  args: ({ maxDelay, largest, ...params }) => [...gcraSteps.args(params, 0), maxDelay, largest],

  look(row, params, now, cost) {
    gcraSteps.look(row, params, now, 0)
    return queueWait(row, params, now, cost) === 0
  },

  // The requests behind it keep their times, so only the last one of the queue can return its own.
  refund(row, params, now, units, taken) {
    if (taken === undefined) gcraSteps.refund(row, params, now, units)
    else if (isLast(taken.row, row) && !isForeign(row, params.span)) {
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
