import { fixedWindow, gcra, slidingWindow, tokenBucket, type Keys, type Policy } from '@sluice/core'
import { replayRate, replaySubWindows, replayWindows, type Replay } from './replay.js'

interface Replayed {
  readonly policies: Readonly<Record<string, Policy>>
  readonly keys: Keys
  /** What each of the policies would have refused. */
  readonly replays: readonly Replay[]
}

const window = (limit: number, windowMs: number): Policy =>
  fixedWindow({ limit, window: windowMs, align: 'clock' })

/** The policies of the runs, which ask for more than these allow. */
export const replayed: Readonly<Record<string, Replayed>> = {
  fixedWindow: {
    policies: { window: window(8000, 1000) },
    keys: 'hot',
    replays: [replayWindows(8000, 1000)],
  },
  slidingWindow: {
    policies: { window: slidingWindow({ limit: 8000, window: 1000, buckets: 4 }) },
    keys: 'hot',
    replays: [replaySubWindows(8000, 1000, 4)],
  },
  gcra: {
    policies: { rate: gcra({ limit: 8000, window: 1000, burst: 2000 }) },
    keys: 'hot',
    replays: [replayRate(8000, 1000, 2000)],
  },
  tokenBucket: {
    policies: { bucket: tokenBucket({ capacity: 4000, refill: 9, every: '1ms' }) },
    keys: 'hot',
    replays: [replayRate(9, 1, 4000)],
  },
  // On a Cluster, these keys are on two servers.
  'gcra and fixedWindow': {
    policies: { rate: gcra({ limit: 8000, window: 1000 }), window: window(20_000, 3000) },
    keys: { rate: 'hot', window: 'everything' },
    replays: [replayRate(8000, 1000, 8000), replayWindows(20_000, 3000)],
  },
}
