import type { Block, Policy, SlidingWindowPolicy, TokenBucketPolicy } from '@sluice/core'
import { toStringMethod } from 'fast-check'
import { createModel, type Admission, type Meaning, type Model } from '../models/model.js'
import { slidingWindowMeaning } from '../models/windows/sliding-window.js'
import { tokenBucketMeaning } from '../models/buckets/token-bucket.js'
import { arrivalCurve, unitsPerClockWindows, unitsPerWindow, unitsWithin } from './promises.js'

/** A policy that random traffic can be sent to, with its model. */
export interface Followed {
  readonly policy: Policy
  /** The unit of time for its traffic: the window, or the time until the whole quota is available again. */
  readonly windowMs: number
  readonly quota: number
  /** Moments near which it is likely to be decided wrongly. */
  readonly starts: readonly number[]
  createModel(): Model
}

/** A policy that the suites test, with its definition and its bound. */
export interface Sample extends Followed {
  /** The text that fast-check prints if a property fails. */
  [toStringMethod](): string
  readonly meaning: Meaning
  /** The same with a block. */
  blocked(block: Block): Sample
  /** The number of units by which these admissions exceed the bound of the algorithm. Time may stop, but not go backwards. */
  excess(admissions: readonly Admission[]): number
}

/** The definition and the bound of the policies of one builder. */
export interface Proof<P extends Policy> {
  quota(policy: P): number
  windowMs(policy: P): number
  meaning(policy: P): Meaning
  excess(policy: P, admissions: readonly Admission[]): number
  starts?(policy: P): readonly number[]
}

export function sampleOf<P extends Policy>(policy: P, proof: Proof<P>): Sample {
  const meaning = proof.meaning(policy)
  return {
    [toStringMethod]: () => JSON.stringify(policy),
    policy,
    windowMs: Math.max(1, proof.windowMs(policy)),
    quota: proof.quota(policy),
    starts: proof.starts?.(policy) ?? [],
    meaning,
    blocked: (block) => sampleOf({ ...policy, block }, proof),
    createModel: () => createModel(meaning, policy.block),
    excess: (admissions) => Math.max(0, proof.excess(policy, admissions)),
  }
}

/** Its own windows, which requests open, hold `limit` units. Any other interval of the same length holds at most 2 × limit − 2. */
export const ofSpreadWindows: Proof<SlidingWindowPolicy> = {
  quota: ({ limit }) => limit,
  windowMs: ({ window }) => window,
  meaning: slidingWindowMeaning,
  excess: ({ limit, window }, admissions) =>
    Math.max(
      unitsPerWindow(admissions, window) - limit,
      unitsWithin(admissions, window) - Math.max(limit, 2 * limit - 2),
    ),
}

export const ofSlidingWindows: Proof<SlidingWindowPolicy> = {
  quota: ({ limit }) => limit,
  windowMs: ({ window }) => window,
  meaning: slidingWindowMeaning,
  excess: ({ limit, window, buckets }, admissions) =>
    unitsPerClockWindows(admissions, window / buckets, buckets) - limit,
}

export const ofTokenBuckets: Proof<TokenBucketPolicy> = {
  quota: ({ capacity }) => capacity,
  windowMs: ({ capacity, refill, every }) => Math.ceil((capacity * every) / refill),
  meaning: tokenBucketMeaning,
  excess: ({ capacity, refill, every }, admissions) =>
    arrivalCurve(admissions, capacity, refill, every),
}
