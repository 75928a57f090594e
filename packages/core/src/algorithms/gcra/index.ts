import { sluiceError } from '../../errors.js'
import type { Duration, DurationLiteral } from '../../options/durations.js'
import {
  assertExact,
  duration,
  optionalQuota,
  positiveCount,
  quota,
  readOptions,
} from '../../options/readers.js'
import { blockOption, type Block, type Blocking, type Policy } from '../../policy.js'
import { policyOf, type Kind } from '../kind.js'
import { countedRate, mostUnits, windowOf, type Rate } from './rate.js'
import { spanOf } from './span.js'
import { gcraSteps, type GcraParams } from './steps.js'

/** Options of `gcra`. */
export interface GcraOptions extends Blocking {
  /** Units in one window, evenly spread: one in each `window / limit`. 0 denies everything. */
  readonly limit: number
  /** The time in which `limit` units become available again. */
  readonly window: Duration
  /**
   * Units that an idle key may take at once, at least 1. With 1, it is a minimum interval.
   *
   * @default limit
   */
  readonly burst?: number | undefined
}

/** A policy of `gcra`. */
export interface GcraPolicy extends Policy {
  readonly kind: 'gcra'
  readonly limit: number
  readonly window: number
  readonly burst: number
}

/**
 * One unit in each `window / limit`, and at most `burst` units at once for an idle key. The state is one time, the theoretical arrival time.
 *
 * Source: ITU-T I.371, the generic cell rate algorithm (virtual scheduling).
 *
 * @example
 * gcra({ limit: 60, window: '1m', burst: 5 })
 * @throws SluiceError if an option is missing, unknown or out of range
 */
export function gcra<const T extends Duration>(
  options: GcraOptions & Record<'window', DurationLiteral<T>>,
): GcraPolicy {
  const readers = { limit: quota, window: duration, burst: optionalQuota, block: blockOption }
  const { burst: given, ...policy } = readOptions('gcra', options, readers)
  const { limit, window } = policy
  const burst = given ?? limit
  if (burst === 0 && limit > 0) {
    const { expected } = positiveCount
    const denyAll = 'To deny everything, pass limit: 0'
    throw sluiceError('SLUICE_OPTION_INVALID', 'gcra', 'burst', burst, expected, denyAll)
  }
  assertFills('gcra', 'burst', 'window', { burst, refill: limit, every: window })
  return policyOf('gcra', gcraKind, { ...policy, burst })
}

export const gcraKind: Kind<GcraPolicy, GcraParams> = {
  build: gcra,
  quotas: ['limit', 'burst'],
  steps: () => gcraSteps,
  // With a limit of 0 no unit becomes available, so the burst is 0 as well. The 1 only prevents a division by 0.
  params: ({ limit, window, burst }) =>
    paramsOf({ burst: limit === 0 ? 0 : burst, refill: Math.max(1, limit), every: window }),
}

/** Options of `tokenBucket`. */
export interface TokenBucketOptions extends Blocking {
  /** Tokens that the bucket holds. 0 denies everything. */
  readonly capacity: number
  /** Tokens that are added in each `every`, continuously: fractions of a token are kept. */
  readonly refill: number
  /** The time in which `refill` tokens are added. */
  readonly every: Duration
  /**
   * Tokens of a new bucket: one whose key has its first request. A full bucket is removed after a day without requests (plus the longest block of the
   * policy), and the next request makes a new one. After a reset a bucket is full.
   *
   * @default capacity
   */
  readonly initial?: number | undefined
}

/** A policy of `tokenBucket`. */
export interface TokenBucketPolicy extends Policy {
  readonly kind: 'tokenBucket'
  readonly capacity: number
  readonly refill: number
  readonly every: number
  readonly initial: number
}

/**
 * A bucket of `capacity` tokens, to which `refill` tokens are added in each `every`. A request takes as many tokens as it costs. It is the
 * recurrence of `gcra` in other terms, and it uses the same steps.
 *
 * @example
 * tokenBucket({ capacity: 20, refill: 5, every: '1s' })
 * @throws SluiceError if an option is missing, unknown or out of range
 */
export function tokenBucket<const T extends Duration>(
  options: TokenBucketOptions & Record<'every', DurationLiteral<T>>,
): TokenBucketPolicy {
  const { initial: given, ...policy } = readOptions('tokenBucket', options, {
    capacity: quota,
    refill: positiveCount,
    every: duration,
    initial: optionalQuota,
    block: blockOption,
  })
  const { capacity, refill, every } = policy
  const initial = given ?? capacity
  assertFills('tokenBucket', 'capacity', 'every', { burst: capacity, refill, every })
  if (initial > capacity) {
    const expected = `at most the capacity of ${capacity}`
    throw sluiceError('SLUICE_OPTION_INVALID', 'tokenBucket', 'initial', initial, expected)
  }
  return policyOf('tokenBucket', tokenBucketKind, { ...policy, initial })
}

export const tokenBucketKind: Kind<TokenBucketPolicy, GcraParams> = {
  build: tokenBucket,
  quotas: ['capacity', 'refill', 'initial'],
  steps: () => gcraSteps,
  params: ({ capacity, refill, every, initial, block }) =>
    paramsOf({ burst: capacity, refill, every }, initial, block),
}

/** Options of `leakyBucket`. */
export interface LeakyBucketOptions extends Blocking {
  /** Units that the bucket holds. 0 denies everything. */
  readonly capacity: number
  /** Units that drain in each `every`, continuously. */
  readonly leak: number
  /** The time in which `leak` units drain. */
  readonly every: Duration
}

/** A policy of `leakyBucket`. */
export interface LeakyBucketPolicy extends Policy {
  readonly kind: 'leakyBucket'
  readonly capacity: number
  readonly leak: number
  readonly every: number
}

/**
 * The leaky bucket as a meter: requests fill it, it drains continuously, and a request that would make it overflow is denied. It is the
 * recurrence of `gcra` in other terms. `leakyQueue` delays requests instead.
 *
 * @example
 * leakyBucket({ capacity: 20, leak: 5, every: '1s' })
 * @throws SluiceError if an option is missing, unknown or out of range
 */
export function leakyBucket<const T extends Duration>(
  options: LeakyBucketOptions & Record<'every', DurationLiteral<T>>,
): LeakyBucketPolicy {
  const readers = { capacity: quota, leak: positiveCount, every: duration, block: blockOption }
  const policy = readOptions('leakyBucket', options, readers)
  const { capacity, leak, every } = policy
  assertFills('leakyBucket', 'capacity', 'every', { burst: capacity, refill: leak, every })
  return policyOf('leakyBucket', leakyBucketKind, policy)
}

export const leakyBucketKind: Kind<LeakyBucketPolicy, GcraParams> = {
  build: leakyBucket,
  quotas: ['capacity', 'leak'],
  steps: () => gcraSteps,
  params: ({ capacity, leak, every }) => paramsOf({ burst: capacity, refill: leak, every }),
}

/** @param initial the units of a new bucket */
function paramsOf(rate: Rate, initial: number = rate.burst, block?: Block): GcraParams {
  // A bucket must not be removed during a block.
  const longestBlock = block === undefined ? 0 : block.escalate === 1 ? block.for : block.max
  const remembered = oneDayMs + longestBlock
  return { ...countedRate(rate), initial, remembered, span: spanOf(windowOf(rate)) }
}

const oneDayMs = 24 * 60 * 60 * 1000

/** Rejects units that a number cannot count exactly, or that would take more than a thousand years to become available again. */
function assertFills(where: string, option: string, period: string, rate: Rate): void {
  const counted = countedRate(rate)
  const { burst, refill, every } = counted
  assertExact(where, `${option} × ${period}`, burst * every + refill)
  const most = mostUnits(counted)
  if (burst <= most) return
  const expected = `at most ${most}: more would take over a thousand years to become available again`
  throw sluiceError('SLUICE_OPTION_INVALID', where, option, burst, expected)
}
