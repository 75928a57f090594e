import {
  assertExact,
  duration,
  quota,
  readOptions,
  type Duration,
  type Policy,
} from '../../policy.js'
import type { Kind } from '../kind.js'
import { slidingWindowSteps, type SlidingWindowParams } from './step.js'

export interface SlidingWindowOptions {
  /** Units in one window. 0 denies everything. */
  readonly limit: number
  /** The length of the window. */
  readonly window: Duration
}

export interface SlidingWindowPolicy extends Policy {
  readonly kind: 'slidingWindow'
  readonly limit: number
  readonly window: number
}

/**
 * At most `limit` units in the last `window`, estimated from two counters: those of the current sub-window on the clock, and
 * those of the one before by the share of it that is still inside. The estimate is never rounded. This is the default of
 * `rateLimit`: as cheap as a fixed window, without its double burst at the border.
 *
 * Source: Cloudflare, "How we built rate limiting capable of scaling to millions of domains" (2017).
 *
 * @example
 * slidingWindow({ limit: 100, window: '1m' })
 * @throws SluiceError where an option is missing, unknown or out of range
 */
export function slidingWindow(options: SlidingWindowOptions): SlidingWindowPolicy {
  const { limit, window } = readOptions('slidingWindow', options, {
    limit: quota,
    window: duration,
  })
  assertExact('slidingWindow', 'limit × window', limit * window)
  return Object.freeze({ kind: 'slidingWindow', limit, window })
}

export const slidingWindowKind: Kind<SlidingWindowPolicy, SlidingWindowParams> = {
  build: slidingWindow,
  steps: slidingWindowSteps,
  params: ({ limit, window }) => ({ limit, window }),
}
