import type { Algorithm, Row } from '../algorithm.js'
import { slidingWindowLua } from './script.js'

export type SlidingWindowParams = {
  readonly limit: number
  readonly window: number
}

// row: [a moment in the current sub-window, the units taken in it, the units taken in the sub-window before]
// A moment and not the sub-window's start, so that the units still stand where they belong when the window's length is changed.
const SINCE = 0
const CURRENT = 1
const PREVIOUS = 2

export const slidingWindowSteps: Algorithm<SlidingWindowParams> = {
  id: 2,
  cells: () => ({ moments: 1, counts: 2 }),
  order: ['limit', 'window'],
  lua: slidingWindowLua,

  look(row, params, now, cost) {
    const { limit, window } = params
    const passed = now - (now % window) - opening(row, window)
    if (passed > 0) {
      row[PREVIOUS] = passed === window ? row[CURRENT] : 0
      row[CURRENT] = 0
      row[SINCE] = now
    }
    const room = limit - row[CURRENT] - cost
    return limit > 0 && room >= 0 && carried(row, window, now) <= room * window
  },

  take(row, _params, _now, cost) {
    row[CURRENT] += cost
  },

  ends(row, { window }) {
    if (row[CURRENT] > 0) return opening(row, window) + 2 * window
    return row[PREVIOUS] > 0 ? opening(row, window) + window : 0
  },

  wait(row, { limit, window }, now, cost) {
    if (cost > limit || limit === 0) return Infinity
    const room = limit - row[CURRENT] - cost
    const start = opening(row, window)
    if (room >= 0) {
      if (carried(row, window, now) <= room * window) return 0
      const fits = start + elapsedUntil(row[PREVIOUS], room, window)
      if (fits < start + window) return fits - now
    }
    // Not within this sub-window. In the next one, what is current now is what leaves.
    return start + window + elapsedUntil(row[CURRENT], limit - cost, window) - now
  },

  remaining(row, { limit, window }, now) {
    const room = (limit - row[CURRENT]) * window - carried(row, window, now)
    return Math.max(0, Math.floor(room / window))
  },

  quota: (params) => params.limit,
  windowMs: (params) => params.window,
  followsWall: () => false,
}

function opening(row: Row, window: number): number {
  return row[SINCE] - (row[SINCE] % window)
}

/** What the sub-window that is leaving still counts for, in units × window: whole numbers, so nothing is ever rounded. */
function carried(row: Row, window: number, now: number): number {
  const elapsed = Math.max(0, now - opening(row, window))
  return row[PREVIOUS] * (window - elapsed)
}

/** The least whole e in 0 … window with units × (window - e) ≤ room × window. */
function elapsedUntil(units: number, room: number, window: number): number {
  return units <= room ? 0 : window - Math.floor((room * window) / units)
}
