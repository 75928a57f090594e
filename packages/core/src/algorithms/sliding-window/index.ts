import type { Duration, DurationLiteral } from '../../options/durations.js'
import {
  duration,
  oneOf,
  optional,
  positiveCount,
  quota,
  readOptions,
} from '../../options/readers.js'
import { blockOption, type Blocking, type Policy } from '../../policy.js'
import { sluiceError } from '../../errors.js'
import { policyOf, type Kind } from '../kind.js'
import { bucketedWindowSteps, type BucketedWindowParams } from '../bucketed-window/steps.js'
import { slidingWindowSteps, type SlidingWindowParams } from './steps.js'

/** Options of `slidingWindow`. */
export interface SlidingWindowOptions extends Blocking {
  /** Units in one window. 0 denies everything. */
  readonly limit: number
  /** The length of the window. */
  readonly window: Duration
  /**
   * The number of counters for one window, up to 250, of which the window is a multiple. With one, the windows of a key begin with its requests. With
   * more, sub-windows follow the clock: the estimate is closer, and each counter takes memory.
   *
   * @default 1
   */
  readonly buckets?: number | undefined
  /**
   * How units of the oldest window or sub-window count while a part of it is still inside the window. `'spread'`, only with one bucket: as if they
   * had arrived evenly between its first and its last request. `'weighted'`, the default with several buckets: by the share of its length that is
   * still inside. `'truncated'`: not at all, so that `buckets` whole sub-windows count, the current one included.
   *
   * @default 'spread'
   */
  readonly tail?: 'spread' | 'weighted' | 'truncated' | undefined
}

/** A policy of `slidingWindow`. */
export interface SlidingWindowPolicy extends Policy {
  readonly kind: 'slidingWindow'
  readonly limit: number
  readonly window: number
  readonly buckets: number
  readonly tail: 'spread' | 'weighted' | 'truncated'
}

const mostBuckets = 250

/**
 * At most `limit` units in the last `window`, estimated from two counters instead of a log: the units of the current window, and those of the
 * older one that are still inside, as if they had been taken evenly between its first and its last unit. The estimate is never rounded.
 * It is exact for bursts and for a limit of 1 or 2; otherwise any period as long as the window contains at most 2 × limit − 2 units.
 * No request has to wait longer than the window. This is the default of `rateLimit`.
 *
 * Source of `tail: 'weighted'`: Cloudflare, "How we built rate limiting capable of scaling to millions of domains" (2017).
 *
 * @example
 * slidingWindow({ limit: 100, window: '1m' })
 * @throws SluiceError if an option is missing, unknown or out of range, or if `tail: 'spread'` is combined with several buckets
 */
export function slidingWindow<const T extends Duration>(
  options: SlidingWindowOptions & Record<'window', DurationLiteral<T>>,
): SlidingWindowPolicy {
  const { tail, ...policy } = readOptions('slidingWindow', options, {
    limit: quota,
    window: duration,
    buckets: optional(positiveCount, 1),
    tail: optional<Tail | undefined>(oneOf('spread', 'weighted', 'truncated'), undefined),
    block: blockOption,
  })
  const { window, buckets } = policy
  if (buckets > mostBuckets || window % buckets !== 0) {
    const expected = `a number up to ${mostBuckets} that divides the window of ${window} ms`
    throw sluiceError('SLUICE_OPTION_INVALID', 'slidingWindow', 'buckets', buckets, expected)
  }
  if (tail === 'spread' && buckets > 1) {
    const expected = `'weighted' or 'truncated' with ${buckets} buckets; 'spread' takes one bucket`
    throw sluiceError('SLUICE_OPTION_INVALID', 'slidingWindow', 'tail', tail, expected)
  }
  const chosen = tail ?? (buckets === 1 ? 'spread' : 'weighted')
  return policyOf('slidingWindow', slidingWindowKind, { ...policy, tail: chosen })
}

type Tail = SlidingWindowPolicy['tail']

export const slidingWindowKind: Kind<
  SlidingWindowPolicy,
  SlidingWindowParams | BucketedWindowParams
> = {
  build: slidingWindow,
  quotas: ['limit'],
  steps: ({ tail }) => (tail === 'spread' ? slidingWindowSteps : bucketedWindowSteps),
  params({ limit, window, buckets, tail }) {
    if (tail === 'spread') return { limit, window }
    return {
      limit,
      size: window / buckets,
      older: tail === 'weighted' ? buckets : buckets - 1,
      weighted: tail === 'weighted' ? 1 : 0,
    }
  },
}
