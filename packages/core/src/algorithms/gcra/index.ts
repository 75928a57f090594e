import { sluiceError } from '../../errors.js'
import {
  assertExact,
  duration,
  optionalQuota,
  positiveCount,
  quota,
  readOptions,
  type Duration,
  type DurationLiteral,
} from '../../options/readers.js'
import { blockOption, type BlockOptions, type Policy } from '../../policy.js'
import { policyOf, type Kind } from '../kind.js'
import { assertFills, gcraSteps, spanOf, type GcraParams } from './step.js'

/** Options of `gcra`. */
export interface GcraOptions {
  /** Units in one window, evenly spread: one in each `window / limit`. 0 denies everything. */
  readonly limit: number
  /** The time in which `limit` units become available again. */
  readonly window: Duration
  /**
   * Units that an idle key may take at once, at least 1. With 1, it is a minimum interval.
   *
   * @default limit
   */
  readonly burst?: number
  /** Blocks a key that has reached or exceeded the limit. */
  readonly block?: BlockOptions
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
  const given = readOptions('gcra', options, {
    limit: quota,
    window: duration,
    burst: optionalQuota,
    block: blockOption,
  })
  const { limit, window, burst = limit, block } = given
  if (burst === 0 && limit > 0) {
    const { expected } = positiveCount
    throw sluiceError('SLUICE_OPTION_INVALID', 'gcra', 'burst', burst, expected, denyAll)
  }
  assertExact('gcra', 'burst × window', burst * window + limit)
  assertFills('gcra', 'burst', burst, Math.max(1, limit), window)
  return policyOf(gcraKind, { kind: 'gcra', limit, window, burst }, block)
}

const denyAll = 'To deny everything, pass limit: 0'

export const gcraKind: Kind<GcraPolicy, GcraParams> = {
  build: gcra,
  quotas: ['limit', 'burst'],
  steps: () => gcraSteps,
  // With a limit of 0 no unit becomes available, so the burst is 0 as well. The 1 only prevents a division by 0.
  params: ({ limit, window, burst }) =>
    limit === 0
      ? { burst: 0, refill: 1, every: window, initial: 0, remembered: 0, span: 0 }
      : {
          burst,
          refill: limit,
          every: window,
          initial: burst,
          remembered: 0,
          span: spanOf(burst, limit, window),
        },
}
