import {
  calendarWindow,
  concurrency,
  fixedWindow,
  gcra,
  leakyBucket,
  slidingLog,
  slidingWindow,
  tokenBucket,
  type Policies,
  type Policy,
} from '@sluice/core'
import type { PolicyKind } from '@sluice/core/internal'

/** The units that a key may take in total: no unit becomes available again during a run. */
export const limit = 200

/** A policy of each kind, with windows that are much longer than a run. The other kinds have no total. */
const byKind: Readonly<Record<Exclude<PolicyKind, 'leakyQueue' | 'staged' | 'unlimited'>, Policy>> =
  {
    fixedWindow: fixedWindow({ limit, window: '365d' }),
    calendarWindow: calendarWindow({ limit, period: 'month', timeZone: 'Europe/Berlin' }),
    slidingWindow: slidingWindow({ limit, window: '365d' }),
    slidingLog: slidingLog({ limit, window: '1d' }),
    gcra: gcra({ limit, window: '3650d' }),
    tokenBucket: tokenBucket({ capacity: limit, refill: 1, every: '10d' }),
    leakyBucket: leakyBucket({ capacity: limit, leak: 1, every: '10d' }),
    concurrency: concurrency({ limit, lease: '1d' }),
  }

/** Two policies that count under different keys. On a Cluster, two keys can be in two slots, where a request can be denied too early. */
export const pairs = 'pairs of keys'

export const policies: Readonly<Record<string, Policies>> = {
  ...byKind,
  [pairs]: { window: byKind.fixedWindow, log: byKind.slidingLog },
  'slidingWindow, weighted': slidingWindow({ limit, window: '3650d', tail: 'weighted' }),
  'slidingWindow, 10 buckets': slidingWindow({ limit, window: '3650d', buckets: 10 }),
}
