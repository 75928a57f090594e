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
import { buckets, clockAndState, fixed, hash, leases, log, twoCounters } from './textbook.js'

/** A textbook method, and the builders of Sluice for the same purpose. */
export interface Family {
  readonly textbook?: Contender
  readonly ours: readonly Contender[]
}

/** Every builder of Sluice has an entry. */
export const families: readonly Family[] = [
  {
    textbook: clockAndState,
    ours: [
      sluice(
        'slidingWindow, three policies',
        {
          minute: slidingWindow({ limit, window }),
          hour: slidingWindow({ limit: 10 * limit, window: 60 * window }),
          day: slidingWindow({ limit: 100 * limit, window: 1440 * window }),
        },
        once,
      ),
    ],
  },
  {
    textbook: fixed,
    ours: [
      sluice('fixedWindow', fixedWindow({ limit, window }), once),
      sluice(
        'calendarWindow',
        calendarWindow({ limit, period: 'day', timeZone: 'Asia/Shanghai' }),
        once,
      ),
    ],
  },
  {
    textbook: twoCounters,
    ours: [sluice('slidingWindow', slidingWindow({ limit, window }), twoWindows)],
  },
  {
    textbook: buckets,
    ours: [
      sluice('slidingWindow, 10 buckets', slidingWindow({ limit, window, buckets: 10 }), tenths),
    ],
  },
  {
    textbook: log,
    ours: [sluice('slidingLog', slidingLog({ limit: 2 * limit, window }), hundred)],
  },
  {
    textbook: hash,
    ours: [
      sluice('tokenBucket', tokenBucket({ capacity: limit, refill: limit, every }), once),
      sluice('leakyBucket', leakyBucket({ capacity: limit, leak: limit, every }), once),
      sluice('leakyQueue', leakyQueue({ leak: limit, every, maxDelay: window }), once),
      sluice('gcra', gcra({ limit, window }), once),
    ],
  },
  {
    textbook: leases,
    ours: [sluice('concurrency', concurrency({ limit, lease: window }), ten)],
  },
  {
    ours: [
      sluice(
        'staged',
        staged({ free: fixedWindow({ limit, window }), then: gcra({ limit, window }) }),
        once,
      ),
    ],
  },
]
