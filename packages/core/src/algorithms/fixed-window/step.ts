import type { Algorithm, Row } from '../algorithm.js'
import { fixedWindowLua } from './script.js'

export type FixedWindowParams = {
  readonly limit: number
  readonly window: number
  /** 0: the window opens at the first admitted request; 1: where time - offset is a multiple of it. */
  readonly aligned: number
  readonly offset: number
}

// row: [a moment in the window: that of its first admitted request, the units taken in it]
const SINCE = 0
const USED = 1

export const fixedWindowSteps: Algorithm<FixedWindowParams> = {
  id: 1,
  cells: () => ({ moments: 1, counts: 1 }),
  order: ['limit', 'window', 'aligned', 'offset'],
  lua: fixedWindowLua,

  look(row, params, now, cost) {
    if (row[USED] === 0 || now >= closing(row, params)) {
      row[SINCE] = now
      row[USED] = 0
    }
    return params.limit > 0 && row[USED] + cost <= params.limit
  },

  take(row, _params, _now, cost) {
    row[USED] += cost
  },

  ends(row, params) {
    return row[USED] === 0 ? 0 : closing(row, params)
  },

  wait(row, params, now, cost) {
    if (cost > params.limit || params.limit === 0) return Infinity
    return row[USED] + cost <= params.limit ? 0 : closing(row, params) - now
  },

  remaining: (row, params) => Math.max(0, params.limit - row[USED]),
  quota: (params) => params.limit,
  windowMs: (params) => params.window,
  followsWall: (params) => params.aligned === 1,
}

function closing(row: Row, { window, aligned, offset }: FixedWindowParams): number {
  if (aligned === 0) return row[SINCE] + window
  const sinceBoundary = (row[SINCE] - offset) % window
  // A remainder has the sign of what is divided: before the offset it counts down to the boundary.
  return row[SINCE] - sinceBoundary + (sinceBoundary < 0 ? 0 : window)
}
