import type { Algorithm } from '../algorithm.js'
import { windowSteps } from '../window.js'

export type FixedWindowParams = {
  readonly limit: number
  readonly window: number
  /** 0: a window begins at the first allowed request; 1: when time - offset is a multiple of the window. */
  readonly aligned: number
  readonly offset: number
}

export const fixedWindowSteps: Algorithm<FixedWindowParams> = {
  id: 1,
  args: ({ limit, window, aligned, offset }) => [limit, window, aligned, offset],
  ...windowSteps<FixedWindowParams>(closing),
  windowMs: (params) => params.window,
  followsWall: (params) => params.aligned === 1,
}

function closing(since: number, { window, aligned, offset }: FixedWindowParams): number {
  if (aligned === 0) return since + window
  const sinceBoundary = (since - offset) % window
  // A remainder has the sign of the dividend: before the offset it is negative and counts up to the boundary.
  return since - sinceBoundary + (sinceBoundary < 0 ? 0 : window)
}
