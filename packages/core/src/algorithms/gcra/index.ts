import {
  assertExact,
  duration,
  optional,
  quota,
  rate,
  readOptions,
  type Duration,
  type Policy,
} from '../../policy.js'
import type { Kind } from '../kind.js'
import { gcraSteps, type GcraParams } from './step.js'

export interface GcraOptions {
  /** Units in one window, evenly spread: one each `window / limit`. 0 denies everything. */
  readonly limit: number
  /** The time in which `limit` units come back. */
  readonly window: Duration
  /**
   * How many units an idle key may take at once. 1 is a minimum interval.
   *
   * @default limit
   */
  readonly burst?: number
}

export interface GcraPolicy extends Policy {
  readonly kind: 'gcra'
  readonly limit: number
  readonly window: number
  readonly burst: number
}

/**
 * One unit each `window / limit`, `burst` in all from idle. State is one moment in time, the theoretical arrival time.
 *
 * Source: ITU-T I.371, the generic cell rate algorithm (virtual scheduling).
 *
 * @example
 * gcra({ limit: 60, window: '1m', burst: 5 })
 * @throws SluiceError where an option is missing, unknown or out of range
 */
export function gcra(options: GcraOptions): GcraPolicy {
  const given = readOptions('gcra', options, {
    limit: quota,
    window: duration,
    burst: optional(quota, -1),
  })
  const { limit, window } = given
  const burst = given.burst === -1 ? limit : given.burst
  assertExact('gcra', 'burst × window', burst * window + limit)
  return Object.freeze({ kind: 'gcra', limit, window, burst })
}

export interface TokenBucketOptions {
  /** How many tokens the bucket holds. 0 denies everything. */
  readonly capacity: number
  /** How many tokens come back in each `every`, continuously: fractions of a token are kept. */
  readonly refill: number
  /** The time in which `refill` tokens come back. */
  readonly every: Duration
}

export interface TokenBucketPolicy extends Policy {
  readonly kind: 'tokenBucket'
  readonly capacity: number
  readonly refill: number
  readonly every: number
}

/**
 * A bucket of `capacity` tokens that refills by `refill` tokens each `every`; a request takes as many tokens as it costs. It is
 * the recurrence of `gcra` said in other words, and runs on the same steps.
 *
 * @example
 * tokenBucket({ capacity: 20, refill: 5, every: '1s' })
 * @throws SluiceError where an option is missing, unknown or out of range
 */
export function tokenBucket(options: TokenBucketOptions): TokenBucketPolicy {
  const { capacity, refill, every } = readOptions('tokenBucket', options, {
    capacity: quota,
    refill: rate,
    every: duration,
  })
  assertExact('tokenBucket', 'capacity × every', capacity * every + refill)
  return Object.freeze({ kind: 'tokenBucket', capacity, refill, every })
}

export const gcraKind: Kind<GcraPolicy, GcraParams> = {
  build: gcra,
  steps: gcraSteps,
  // A limit of 0 gives nothing back, so it lets nothing be taken; 1 only keeps the steps from dividing by 0.
  params: ({ limit, window, burst }) =>
    limit === 0 ? { burst: 0, refill: 1, every: window } : { burst, refill: limit, every: window },
}

export const tokenBucketKind: Kind<TokenBucketPolicy, GcraParams> = {
  build: tokenBucket,
  steps: gcraSteps,
  params: ({ capacity, refill, every }) => ({ burst: capacity, refill, every }),
}
