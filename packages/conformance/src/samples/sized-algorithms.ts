import {
  fixedWindow,
  gcra,
  leakyBucket,
  slidingLog,
  slidingWindow,
  tokenBucket,
  type Policy,
} from '@sluice/core'
import { fixedWindowMeaning } from '../models/windows/fixed-window.js'
import { gcraMeaning } from '../models/buckets/gcra.js'
import { leakyBucketMeaning } from '../models/buckets/leaky-bucket.js'
import { slidingLogMeaning } from '../models/windows/sliding-log.js'
import { arrivalCurve, unitsPerClockWindow, unitsPerWindow, unitsWithin } from './promises.js'
import {
  ofSlidingWindows,
  ofSpreadWindows,
  ofTokenBuckets,
  sampleOf,
  type Proof,
  type Sample,
} from './sample.js'

/** One algorithm, in one of its forms. */
export interface SizedAlgorithm {
  readonly name: string
  /** A policy of `limit` units, all of which are available again after `windowMs`. */
  sample(limit: number, windowMs: number): Sample
  /** Policies with the options that only this algorithm has. */
  readonly further: readonly Sample[]
  /** The greatest limit that the suites test, in a window of a second. */
  readonly most: number
}

/** That of a rate, whose units a number can count exactly. */
const most = 2 ** 42

/** The kinds that support any limit in any window. `families.ts` has the samples of all others. */
export type SizedKind =
  | 'fixedWindow'
  | 'slidingWindow'
  | 'slidingLog'
  | 'gcra'
  | 'tokenBucket'
  | 'leakyBucket'

const byKind: Readonly<Record<SizedKind, readonly SizedAlgorithm[]>> = {
  fixedWindow: [
    sized({
      name: 'fixed window from the first request',
      build: (limit, window) => fixedWindow({ limit, window }),
      further: [
        fixedWindow({ limit: 10_000_000_000, window: '1d' }),
        fixedWindow({ limit: 100_000_000_000_000, window: '730d' }),
      ],
      most: Number.MAX_SAFE_INTEGER,
      quota: ({ limit }) => limit,
      windowMs: ({ window }) => window,
      meaning: fixedWindowMeaning,
      excess: ({ limit, window }, admissions) => unitsPerWindow(admissions, window) - limit,
    }),
    sized({
      name: 'fixed window on the clock',
      build: (limit, window) => fixedWindow({ limit, window, align: 'clock' }),
      further: [
        fixedWindow({ limit: 3, window: 1000, align: 'clock', offset: 1 }),
        fixedWindow({ limit: 5, window: '1d', align: 'clock', offset: '8h' }),
        fixedWindow({ limit: 2, window: '7ms', align: 'clock', offset: 1000 }),
        fixedWindow({ limit: 4, window: '1h', align: 'clock', offset: '365d' }),
      ],
      most: Number.MAX_SAFE_INTEGER,
      quota: ({ limit }) => limit,
      windowMs: ({ window }) => window,
      meaning: fixedWindowMeaning,
      excess: ({ limit, window, offset }, admissions) =>
        unitsPerClockWindow(admissions, window, offset) - limit,
    }),
  ],
  slidingWindow: [
    sized({
      name: 'sliding window',
      build: (limit, window) => slidingWindow({ limit, window }),
      further: [
        slidingWindow({ limit: 4, window: 10 }),
        slidingWindow({ limit: 60, window: '1m' }),
        slidingWindow({ limit: 5, window: '365d' }),
        slidingWindow({ limit: 997, window: 1009 }),
        slidingWindow({ limit: 10_000_000_000, window: '1d' }),
        slidingWindow({ limit: 99_999_999_999_989, window: '730d' }),
      ],
      most: Number.MAX_SAFE_INTEGER,
      ...ofSpreadWindows,
    }),
    sized({
      name: 'sliding window, weighted',
      build: (limit, window) => slidingWindow({ limit, window, tail: 'weighted' }),
      further: [slidingWindow({ limit: 10_000_000_000, window: '1d', tail: 'weighted' })],
      most: Number.MAX_SAFE_INTEGER,
      ...ofSlidingWindows,
    }),
    sized({
      name: 'sliding window in buckets, weighted',
      build: (limit, window) =>
        slidingWindow({ limit, window, buckets: bucketsOf(window), tail: 'weighted' }),
      further: [
        slidingWindow({ limit: 10, window: 1000, buckets: 250 }),
        slidingWindow({ limit: 5, window: '1d', buckets: 24 }),
        slidingWindow({ limit: 7, window: '2ms', buckets: 2 }),
        slidingWindow({ limit: 99_999_999_999_989, window: '730d', buckets: 5 }),
      ],
      most: Number.MAX_SAFE_INTEGER,
      ...ofSlidingWindows,
    }),
    sized({
      name: 'sliding window in buckets, truncated',
      build: (limit, window) =>
        slidingWindow({ limit, window, buckets: bucketsOf(window), tail: 'truncated' }),
      further: [
        slidingWindow({ limit: 10, window: 1000, buckets: 250, tail: 'truncated' }),
        slidingWindow({ limit: 5, window: '1d', buckets: 24, tail: 'truncated' }),
        slidingWindow({ limit: 3, window: 1000, tail: 'truncated' }),
      ],
      most: Number.MAX_SAFE_INTEGER,
      ...ofSlidingWindows,
    }),
  ],
  slidingLog: [
    sized({
      name: 'sliding log',
      build: (limit, window) => slidingLog({ limit, window }),
      further: [
        slidingLog({ limit: 5, window: '1d' }),
        slidingLog({ limit: 50_000_000, window: '9ms' }),
      ],
      most: 2 ** 32 - 1,
      quota: ({ limit }) => limit,
      windowMs: ({ window }) => window,
      meaning: ({ limit, window }) => slidingLogMeaning(limit, window),
      excess: ({ limit, window }, admissions) => unitsWithin(admissions, window) - limit,
    }),
  ],
  gcra: [
    sized({
      name: 'gcra',
      build: (limit, window) => gcra({ limit, window }),
      further: [
        gcra({ limit: 7, window: 1000, burst: 1 }),
        gcra({ limit: 3, window: 1000, burst: 10 }),
        gcra({ limit: 60, window: '1m', burst: 5 }),
        gcra({ limit: 0, window: 1000, burst: 5 }),
        gcra({ limit: 10_000_000, window: 1000, burst: 3 }),
        gcra({ limit: 999_983, window: 1009, burst: 997 }),
        gcra({ limit: 10_000_000_000, window: '1d' }),
      ],
      quota: ({ limit, burst }) => (limit === 0 ? 0 : burst),
      windowMs: ({ limit, window, burst }) => Math.ceil((burst * window) / Math.max(1, limit)),
      meaning: gcraMeaning,
      excess: ({ limit, window, burst }, admissions) =>
        arrivalCurve(admissions, limit === 0 ? 0 : burst, limit, window),
    }),
  ],
  tokenBucket: [
    sized({
      name: 'token bucket',
      build: (limit, window) =>
        tokenBucket({ capacity: limit, refill: Math.max(1, limit), every: window }),
      further: [
        tokenBucket({ capacity: 20, refill: 5, every: '1s' }),
        tokenBucket({ capacity: 1, refill: 3, every: '7ms' }),
        tokenBucket({ capacity: 5, refill: 1, every: '1d' }),
        tokenBucket({ capacity: 13, refill: 1_000_003, every: '999ms' }),
        tokenBucket({ capacity: 50_000_000, refill: 50_000_000, every: '30d' }),
      ],
      ...ofTokenBuckets,
    }),
  ],
  leakyBucket: [
    sized({
      name: 'leaky bucket',
      build: (limit, window) =>
        leakyBucket({ capacity: limit, leak: Math.max(1, limit), every: window }),
      further: [
        leakyBucket({ capacity: 20, leak: 5, every: '1s' }),
        leakyBucket({ capacity: 1, leak: 3, every: '7ms' }),
        leakyBucket({ capacity: 5, leak: 1, every: '1d' }),
        leakyBucket({ capacity: 13, leak: 1_000_003, every: '999ms' }),
        leakyBucket({ capacity: 1_000_000_000, leak: 1_000_000_000, every: '1d' }),
      ],
      quota: ({ capacity }) => capacity,
      windowMs: ({ capacity, leak, every }) => Math.ceil((capacity * every) / leak),
      meaning: leakyBucketMeaning,
      excess: ({ capacity, leak, every }, admissions) =>
        arrivalCurve(admissions, capacity, leak, every),
    }),
  ],
}

/** Every algorithm that supports any limit in any window, in each of its forms. */
export const sizedAlgorithms: readonly SizedAlgorithm[] = Object.values(byKind).flat()

/** Sizes that are awkward for some algorithm: [limit, window in ms]. */
export const sizes: readonly (readonly [limit: number, windowMs: number])[] = [
  [0, 1000],
  [1, 1000],
  [2, 1000],
  [3, 1000],
  [7, 1000],
  [3, 3_600_000],
  [100, 60_000],
  [1000, 7],
  [5, 1],
  [10_000_000, 1000],
  [1, 604_800_000],
]

interface Row<P extends Policy> extends Proof<P> {
  readonly name: string
  build(limit: number, windowMs: number): P
  readonly further: readonly P[]
  readonly most?: number
}

function sized<P extends Policy>(row: Row<P>): SizedAlgorithm {
  return {
    name: row.name,
    sample: (limit, windowMs) =>
      sampleOf(row.build(Math.min(limit, row.most ?? limit), windowMs), row),
    most: row.most ?? most,
    further: row.further.map((policy) => sampleOf(policy, row)),
  }
}

/** A number of buckets that the window can be divided into. */
function bucketsOf(windowMs: number): number {
  return [6, 5, 7].find((buckets) => windowMs % buckets === 0) ?? 1
}
