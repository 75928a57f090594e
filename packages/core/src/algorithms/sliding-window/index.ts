import {
  assertExact,
  duration,
  oneOf,
  optional,
  quota,
  rate,
  readOptions,
  type Duration,
} from '../../option-readers.js'
import { blockOption, policyOf, type BlockOptions, type Policy } from '../../policy.js'
import { sluiceError } from '../../errors.js'
import type { Kind } from '../kind.js'
import { slidingBucketsSteps, slidingWindowSteps, type SlidingWindowParams } from './step.js'

export interface SlidingWindowOptions {
  /** Units in one window. 0 denies everything. */
  readonly limit: number
  /** The length of the window. */
  readonly window: Duration
  /**
   * Into how many sub-windows on the clock the window is divided, up to 250. More of them estimate closer and take more room.
   *
   * @default 1
   */
  readonly buckets?: number
  /**
   * How the sub-window counts that is leaving: by the share of it that is still inside, or not at all, so that only `buckets` whole
   * sub-windows count, the current one included.
   *
   * @default 'weighted'
   */
  readonly tail?: 'weighted' | 'truncated'
  readonly block?: BlockOptions
}

export interface SlidingWindowPolicy extends Policy {
  readonly kind: 'slidingWindow'
  readonly limit: number
  readonly window: number
  readonly buckets: number
  readonly tail: 'weighted' | 'truncated'
}

const mostBuckets = 250

/**
 * At most `limit` units in the last `window`, estimated from counters: with one bucket from two, those of the current sub-window and those
 * of the one before by the share of it that is still inside. The estimate is never rounded. This is the default of `rateLimit`: as
 * cheap as a fixed window, without its double burst at the border.
 *
 * Source: Cloudflare, "How we built rate limiting capable of scaling to millions of domains" (2017).
 *
 * @example
 * slidingWindow({ limit: 100, window: '1m' })
 * @throws SluiceError where an option is missing, unknown or out of range
 */
export function slidingWindow(options: SlidingWindowOptions): SlidingWindowPolicy {
  const { block, ...policy } = readOptions('slidingWindow', options, {
    limit: quota,
    window: duration,
    buckets: optional(rate, 1),
    tail: optional(oneOf('weighted', 'truncated'), 'weighted'),
    block: blockOption,
  })
  const { limit, window, buckets } = policy
  assertExact('slidingWindow', 'limit × window', limit * window)
  if (buckets > mostBuckets || window % buckets !== 0) {
    const expected = `a number up to ${mostBuckets} that divides the window of ${window} ms`
    throw sluiceError('SLUICE_OPTION_INVALID', 'slidingWindow', 'buckets', buckets, expected)
  }
  return policyOf({ kind: 'slidingWindow', ...policy }, block)
}

export const slidingWindowKind: Kind<SlidingWindowPolicy, SlidingWindowParams> = {
  build: slidingWindow,
  quotas: ['limit'],
  steps: ({ buckets, tail }) =>
    buckets === 1 && tail === 'weighted' ? slidingWindowSteps : slidingBucketsSteps,
  params: ({ limit, window, buckets, tail }) => ({
    limit,
    size: window / buckets,
    older: tail === 'weighted' ? buckets : buckets - 1,
    weighted: tail === 'weighted' ? 1 : 0,
  }),
}
