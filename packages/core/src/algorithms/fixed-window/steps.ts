import type { Policy } from '../../policy.js'
import type { Algorithm } from '../algorithm.js'
import { windowSteps } from '../window.js'

/** A policy of `fixedWindow`. */
export interface FixedWindowPolicy extends Policy {
  readonly kind: 'fixedWindow'
  readonly limit: number
  readonly window: number
  readonly align: 'first' | 'clock'
  readonly offset: number
}

export const fixedWindowSteps: Algorithm<FixedWindowPolicy> = {
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
