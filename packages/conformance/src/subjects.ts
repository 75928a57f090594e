import { fixedWindow, gcra, slidingWindow, tokenBucket, type Policy } from '@sluice/core'
import { fixedWindowModel } from './models/fixed-window.js'
import { gcraModel } from './models/gcra.js'
import type { Admission, Model } from './models/model.js'
import { slidingWindowModel } from './models/sliding-window.js'
import { tokenBucketModel } from './models/token-bucket.js'
import { arrivalCurve, unitsPerClockWindow, unitsPerWindow } from './promises.js'

/** A policy, and what proves its algorithm right. */
export interface Sample {
  readonly policy: Policy
  /** The time that its traffic is measured by: its window, or how long its whole quota takes to come back. */
  readonly windowMs: number
  readonly quota: number
  createModel(): Model
  /** By how many units these admissions exceed what the algorithm promises. Time may stand still, but not step back. */
  excess(admissions: readonly Admission[]): number
}

/** One algorithm, in one of its forms. */
export interface Subject {
  readonly name: string
  /** A policy of so many units, all of which come back within `windowMs`. */
  sample(limit: number, windowMs: number): Sample
  /** Policies with the options that only this algorithm has. */
  readonly further: readonly Sample[]
}

/** Every algorithm there is. A new one is proved by its model and its row here. */
export const subjects: readonly Subject[] = [
  subject({
    name: 'fixed window from the first request',
    build: (limit, window) => fixedWindow({ limit, window }),
    further: [],
    quota: ({ limit }) => limit,
    windowMs: ({ window }) => window,
    model: fixedWindowModel,
    excess: ({ limit, window }, admissions) => unitsPerWindow(admissions, window) - limit,
  }),
  subject({
    name: 'fixed window on the clock',
    build: (limit, window) => fixedWindow({ limit, window, align: 'clock' }),
    further: [
      fixedWindow({ limit: 3, window: 1000, align: 'clock', offset: 1 }),
      fixedWindow({ limit: 5, window: '1d', align: 'clock', offset: '8h' }),
      fixedWindow({ limit: 2, window: 7, align: 'clock', offset: 1000 }),
      fixedWindow({ limit: 4, window: '1h', align: 'clock', offset: '365d' }),
    ],
    quota: ({ limit }) => limit,
    windowMs: ({ window }) => window,
    model: fixedWindowModel,
    excess: ({ limit, window, offset }, admissions) =>
      unitsPerClockWindow(admissions, window, offset) - limit,
  }),
  subject({
    name: 'sliding window, weighted',
    build: (limit, window) => slidingWindow({ limit, window }),
    further: [],
    quota: ({ limit }) => limit,
    windowMs: ({ window }) => window,
    model: slidingWindowModel,
    excess: ({ limit, window }, admissions) => unitsPerClockWindow(admissions, window, 0) - limit,
  }),
  subject({
    name: 'gcra',
    build: (limit, window) => gcra({ limit, window }),
    further: [
      gcra({ limit: 7, window: 1000, burst: 1 }),
      gcra({ limit: 3, window: 1000, burst: 10 }),
      gcra({ limit: 60, window: '1m', burst: 5 }),
      gcra({ limit: 5, window: 1000, burst: 0 }),
      gcra({ limit: 0, window: 1000, burst: 5 }),
      gcra({ limit: 10_000_000, window: 1000, burst: 3 }),
      gcra({ limit: 999_983, window: 1009, burst: 997 }),
    ],
    quota: ({ limit, burst }) => (limit === 0 ? 0 : burst),
    windowMs: ({ limit, window, burst }) => Math.ceil((burst * window) / Math.max(1, limit)),
    model: gcraModel,
    excess: ({ limit, window, burst }, admissions) =>
      arrivalCurve(admissions, limit === 0 ? 0 : burst, limit, window),
  }),
  subject({
    name: 'token bucket',
    build: (limit, window) =>
      tokenBucket({ capacity: limit, refill: Math.max(1, limit), every: window }),
    further: [
      tokenBucket({ capacity: 20, refill: 5, every: '1s' }),
      tokenBucket({ capacity: 1, refill: 3, every: 7 }),
      tokenBucket({ capacity: 5, refill: 1, every: '1d' }),
      tokenBucket({ capacity: 13, refill: 1_000_003, every: 999 }),
    ],
    quota: ({ capacity }) => capacity,
    windowMs: ({ capacity, refill, every }) => Math.ceil((capacity * every) / refill),
    model: tokenBucketModel,
    excess: ({ capacity, refill, every }, admissions) =>
      arrivalCurve(admissions, capacity, refill, every),
  }),
]

/** Sizes that are awkward for one algorithm or another: [limit, window in ms]. */
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

interface Row<P extends Policy> {
  readonly name: string
  build(limit: number, windowMs: number): P
  readonly further: readonly P[]
  quota(policy: P): number
  windowMs(policy: P): number
  model(policy: P): Model
  excess(policy: P, admissions: readonly Admission[]): number
}

function subject<P extends Policy>(row: Row<P>): Subject {
  function sampleOf(policy: P): Sample {
    return {
      policy,
      windowMs: Math.max(1, row.windowMs(policy)),
      quota: row.quota(policy),
      createModel: () => row.model(policy),
      excess: (admissions) => Math.max(0, row.excess(policy, admissions)),
    }
  }
  return {
    name: row.name,
    sample: (limit, windowMs) => sampleOf(row.build(limit, windowMs)),
    further: row.further.map(sampleOf),
  }
}
