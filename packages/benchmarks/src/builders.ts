import {
  calendarWindow,
  concurrency,
  fixedWindow,
  gcra,
  leakyBucket,
  leakyQueue,
  slidingLog,
  slidingWindow,
  staged,
  tokenBucket,
  type Policies,
  type Policy,
} from '@sluice/core'
import type { PolicyKind } from '@sluice/core/internal'
import { threeLimits } from './memory/contender.js'

/** The policies of Sluice that compete, by the name of their builder. */
export interface Builder {
  readonly name: string
  one(limit: number, windowMs: number): Policy
  three(limit: number): Policies
}

export const builders: readonly Builder[] = [
  builder('fixedWindow', (limit, window) => fixedWindow({ limit, window })),
  builder('slidingWindow', (limit, window) => slidingWindow({ limit, window })),
  builder('gcra', (limit, window) => gcra({ limit, window })),
]

function builder(name: string, one: Builder['one']): Builder {
  return {
    name,
    one,
    three(most) {
      const [minute, hour, day] = threeLimits(most).map(({ limit, windowMs }) =>
        one(limit, windowMs),
      )
      return { minute, hour, day }
    },
  }
}

/** A policy of each kind. `unlimited` calls no store. The log has twice the limit, so that no timed decision reaches it. */
export function oneOfEachKind(
  limit: number,
  window: number,
): Readonly<Record<Exclude<PolicyKind, 'unlimited'>, Policy>> {
  return {
    fixedWindow: fixedWindow({ limit, window }),
    calendarWindow: calendarWindow({ limit, period: 'day', timeZone: 'Asia/Shanghai' }),
    slidingWindow: slidingWindow({ limit, window }),
    slidingLog: slidingLog({ limit: 2 * limit, window }),
    tokenBucket: tokenBucket({ capacity: limit, refill: limit, every: window }),
    leakyBucket: leakyBucket({ capacity: limit, leak: limit, every: window }),
    leakyQueue: leakyQueue({ leak: limit, every: window, maxDelay: window }),
    gcra: gcra({ limit, window }),
    concurrency: concurrency({ limit, lease: window }),
    staged: staged({ free: fixedWindow({ limit, window }), then: gcra({ limit, window }) }),
  }
}
