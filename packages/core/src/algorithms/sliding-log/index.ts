import type { Duration, DurationLiteral } from '../../options/durations.js'
import { isCount } from '../../options/predicates.js'
import { checked, duration, readOptions } from '../../options/readers.js'
import { blockOption, type Blocking } from '../../policy.js'
import { policyOf, type Kind } from '../kind.js'
import { totals } from './log.js'
import { slidingLogSteps, type SlidingLogPolicy } from './steps.js'

export type { SlidingLogPolicy } from './steps.js'

/** Options of `slidingLog`. */
export interface SlidingLogOptions extends Blocking {
  /** Units in any period as long as the window: a number below 2^32. 0 denies everything. */
  readonly limit: number
  /** The length of the window. */
  readonly window: Duration
}

/**
 * Exact: no interval `[t, t + window)` ever contains more than `limit` units. Allowed requests are recorded for one window, with about ten
 * bytes for each millisecond in which requests are allowed. With a high limit, neither a decision nor a refund takes longer. Penalties count up to 2^32 - 1
 * units in one window.
 *
 * @example
 * slidingLog({ limit: 100, window: '1m' })
 * @throws SluiceError if an option is missing, unknown or out of range
 */
export function slidingLog<const T extends Duration>(
  options: SlidingLogOptions & Record<'window', DurationLiteral<T>>,
): SlidingLogPolicy {
  const readers = { limit: countable, window: duration, block: blockOption }
  return policyOf('slidingLog', slidingLogKind, readOptions('slidingLog', options, readers))
}

/** A quota below the modulus of the running totals. */
const countable = checked(
  'a whole number, 0 or more, below 2^32',
  (value): value is number => isCount(value) && value < totals,
)

export const slidingLogKind: Kind<SlidingLogPolicy> = {
  build: slidingLog,
  quotas: ['limit'],
  steps: () => slidingLogSteps,
}
