import type { RowAlgorithm } from '../algorithm.js'
import type { PlainLua } from '../plain-lua.js'
import { windowLua, windowSteps } from '../window.js'

export type FixedWindowParams = {
  readonly limit: number
  readonly window: number
  /** 0: a window begins at the first allowed request; 1: when time - offset is a multiple of the window. */
  readonly aligned: number
  readonly offset: number
}

export const fixedWindowSteps: RowAlgorithm<FixedWindowParams> = {
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

/** params: 1 limit, 2 window, 3 aligned, 4 offset */
export const fixedWindowLua = (): PlainLua =>
  windowLua(
    '(params[3] == 0 and row[1] + params[2] or row[1] - (row[1] - params[4]) % params[2] + params[2])',
  )
