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
} from '@sluice/core'
import type { PolicyKind } from '@sluice/core/internal'
import {
  hundred,
  limit,
  once,
  ten,
  tenths,
  twoWindows,
  windowMs as every,
  windowMs as window,
  type Contender,
} from './contender.js'
import { sluice } from './sluice.js'

/** One limiter of each kind. `unlimited` calls no store. */
const byKind: Readonly<Record<Exclude<PolicyKind, 'unlimited'>, Contender>> = {
  fixedWindow: sluice('fixedWindow', fixedWindow({ limit, window }), once),
  calendarWindow: sluice(
    'calendarWindow',
    calendarWindow({ limit, period: 'day', timeZone: 'Asia/Shanghai' }),
    once,
  ),
  slidingWindow: sluice('slidingWindow', slidingWindow({ limit, window }), twoWindows),
  slidingLog: sluice('slidingLog', slidingLog({ limit: 2 * limit, window }), hundred),
  tokenBucket: sluice('tokenBucket', tokenBucket({ capacity: limit, refill: limit, every }), once),
  leakyBucket: sluice('leakyBucket', leakyBucket({ capacity: limit, leak: limit, every }), once),
  leakyQueue: sluice('leakyQueue', leakyQueue({ leak: limit, every, maxDelay: window }), once),
  gcra: sluice('gcra', gcra({ limit, window }), once),
  concurrency: sluice('concurrency', concurrency({ limit, lease: window }), ten),
  staged: sluice(
    'staged',
    staged({ free: fixedWindow({ limit, window }), then: gcra({ limit, window }) }),
    once,
  ),
}

const tenBuckets = sluice(
  'slidingWindow, 10 buckets',
  slidingWindow({ limit, window, buckets: 10 }),
  tenths,
)

const threePolicies = sluice(
  'slidingWindow, three policies',
  {
    minute: slidingWindow({ limit, window }),
    hour: slidingWindow({ limit: 10 * limit, window: 60 * window }),
    day: slidingWindow({ limit: 100 * limit, window: 1440 * window }),
  },
  once,
)

/** All kinds, and the default one in its more expensive forms. */
export const contenders: readonly Contender[] = [
  ...Object.values(byKind),
  tenBuckets,
  threePolicies,
]
