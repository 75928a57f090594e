import { sluiceError } from '../../errors.js'
import {
  assertExact,
  duration,
  optionalQuota,
  quota,
  positiveCount,
  readOptions,
  type Duration,
  type DurationLiteral,
} from '../../options/readers.js'
import { blockOption, policyOf, type Block, type BlockOptions, type Policy } from '../../policy.js'
import type { Kind } from '../kind.js'
import { assertFills, spanOf } from './fill.js'
import { gcraSteps, type GcraParams } from './step.js'

export interface TokenBucketOptions {
  /** How many tokens the bucket holds. 0 denies everything. */
  readonly capacity: number
  /** How many tokens come back in each `every`, continuously: fractions of a token are kept. */
  readonly refill: number
  /** The time in which `refill` tokens come back. */
  readonly every: Duration
  /**
   * How many tokens a bucket is born with, which is when its key is first asked for. A full bucket is forgotten after a day
   * without requests (and the longest block that the policy has), and born again. A bucket is full after a reset.
   *
   * @default capacity
   */
  readonly initial?: number
  readonly block?: BlockOptions
}

export interface TokenBucketPolicy extends Policy {
  readonly kind: 'tokenBucket'
  readonly capacity: number
  readonly refill: number
  readonly every: number
  readonly initial: number
}

/**
 * A bucket of `capacity` tokens that refills by `refill` tokens each `every`; a request takes as many tokens as it costs. It is
 * the recurrence of `gcra` said in other words, and runs on the same steps.
 *
 * @example
 * tokenBucket({ capacity: 20, refill: 5, every: '1s' })
 * @throws SluiceError where an option is missing, unknown or out of range
 */
export function tokenBucket<const T extends Duration>(
  options: TokenBucketOptions & { readonly every: DurationLiteral<T> },
): TokenBucketPolicy {
  const given = readOptions('tokenBucket', options, {
    capacity: quota,
    refill: positiveCount,
    every: duration,
    initial: optionalQuota,
    block: blockOption,
  })
  const { capacity, refill, every, initial = capacity, block } = given
  assertExact('tokenBucket', 'capacity × every', capacity * every + refill)
  assertFills('tokenBucket', 'capacity', capacity, refill, every)
  if (initial > capacity) {
    const expected = `at most the capacity of ${capacity}`
    throw sluiceError('SLUICE_OPTION_INVALID', 'tokenBucket', 'initial', initial, expected)
  }
  return policyOf({ kind: 'tokenBucket', capacity, refill, every, initial }, block)
}

export interface LeakyBucketOptions {
  /** How much the bucket holds. 0 denies everything. */
  readonly capacity: number
  /** How much drains in each `every`, continuously. */
  readonly leak: number
  /** The time in which `leak` units drain. */
  readonly every: Duration
  readonly block?: BlockOptions
}

export interface LeakyBucketPolicy extends Policy {
  readonly kind: 'leakyBucket'
  readonly capacity: number
  readonly leak: number
  readonly every: number
}

/**
 * The leaky bucket as a meter: requests fill it, it drains continuously, and what would make it overflow is denied. The recurrence of
 * `gcra` once more; `leakyQueue` is the one that delays.
 *
 * @example
 * leakyBucket({ capacity: 20, leak: 5, every: '1s' })
 * @throws SluiceError where an option is missing, unknown or out of range
 */
export function leakyBucket<const T extends Duration>(
  options: LeakyBucketOptions & { readonly every: DurationLiteral<T> },
): LeakyBucketPolicy {
  const { block, ...policy } = readOptions('leakyBucket', options, {
    capacity: quota,
    leak: positiveCount,
    every: duration,
    block: blockOption,
  })
  const { capacity, leak, every } = policy
  assertExact('leakyBucket', 'capacity × every', capacity * every + leak)
  assertFills('leakyBucket', 'capacity', capacity, leak, every)
  return policyOf({ kind: 'leakyBucket', ...policy }, block)
}

/** A bucket that is shut is not forgotten meanwhile. */
function longestBlock(block: Block | undefined): number {
  if (block === undefined) return 0
  return block.escalate === 1 ? block.for : block.max
}

const oneDayMs = 24 * 60 * 60 * 1000

export const tokenBucketKind: Kind<TokenBucketPolicy, GcraParams> = {
  build: tokenBucket,
  quotas: ['capacity', 'refill', 'initial'],
  steps: () => gcraSteps,
  params: ({ capacity, refill, every, initial, block }) => ({
    burst: capacity,
    refill,
    every,
    initial,
    remembered: oneDayMs + longestBlock(block),
    span: spanOf(capacity, refill, every),
  }),
}

export const leakyBucketKind: Kind<LeakyBucketPolicy, GcraParams> = {
  build: leakyBucket,
  quotas: ['capacity', 'leak'],
  steps: () => gcraSteps,
  params: ({ capacity, leak, every }) => ({
    burst: capacity,
    refill: leak,
    every,
    initial: capacity,
    remembered: 0,
    span: spanOf(capacity, leak, every),
  }),
}
