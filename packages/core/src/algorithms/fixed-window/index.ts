import type { Duration, DurationLiteral } from '../../options/durations.js'
import {
  duration,
  durationOrZero,
  oneOf,
  optional,
  quota,
  readOptions,
} from '../../options/readers.js'
import { blockOption, type Blocking, type Policy } from '../../policy.js'
import type { Algorithm } from '../algorithm.js'
import { policyOf, type Kind } from '../kind.js'
import { windowSteps } from '../window.js'

/** Options of `fixedWindow`. */
export interface FixedWindowOptions extends Blocking {
  /** Units in one window. 0 denies everything. */
  readonly limit: number
  /** The length of a window. */
  readonly window: Duration
  /**
   * `'first'`: a window begins at the first allowed request of a key. `'clock'`: when time - offset is a multiple of the window.
   *
   * @default 'first'
   */
  readonly align?: 'first' | 'clock' | undefined
  /**
   * With `align: 'clock'`: the time after 1970-01-01T00:00Z at which a window begins.
   *
   * @default 0
   */
  readonly offset?: Duration | undefined
}

/** A policy of `fixedWindow`. */
export interface FixedWindowPolicy extends Policy {
  readonly kind: 'fixedWindow'
  readonly limit: number
  readonly window: number
  readonly align: 'first' | 'clock'
  readonly offset: number
}

/**
 * At most `limit` units in each window `[t, t + window)`. It is cheap and easy to explain, but around the boundary of two windows up to
 * twice the limit can be allowed within the length of one window.
 *
 * @example
 * fixedWindow({ limit: 100, window: '1m' })
 * @throws SluiceError if an option is missing, unknown or out of range
 */
export function fixedWindow<const T extends Duration>(
  options: FixedWindowOptions & Record<'window', DurationLiteral<T>>,
): FixedWindowPolicy {
  const policy = readOptions('fixedWindow', options, {
    limit: quota,
    window: duration,
    align: optional(oneOf('first', 'clock'), 'first'),
    offset: optional(durationOrZero, 0),
    block: blockOption,
  })
  return policyOf('fixedWindow', fixedWindowKind, policy)
}

const fixedWindowSteps: Algorithm<FixedWindowPolicy> = {
  id: 1,
  args: ({ limit, window, align, offset }) => [limit, window, align === 'clock' ? 1 : 0, offset],
  ...windowSteps<FixedWindowPolicy>(closing),
  windowMs: (params) => params.window,
  followsWall: (params) => params.align === 'clock',
}

function closing(time: number, { window, align, offset }: FixedWindowPolicy): number {
  if (align === 'first') return time + window
  const passed = (time - offset) % window
  // A remainder has the sign of the dividend: before the offset it is negative and counts up to the boundary.
  return time - passed + (passed < 0 ? 0 : window)
}

export const fixedWindowKind: Kind<FixedWindowPolicy> = {
  build: fixedWindow,
  quotas: ['limit'],
  steps: () => fixedWindowSteps,
}
