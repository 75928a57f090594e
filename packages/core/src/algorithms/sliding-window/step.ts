import type { Algorithm, Row } from '../algorithm.js'
import { usualReading } from '../reading.js'
import { slidingWindowLua } from './script.js'

export type SlidingWindowParams = {
  readonly limit: number
  /** The length of a sub-window. */
  readonly size: number
  /** How many sub-windows besides the current one are counted. */
  readonly older: number
  /** 1: the oldest of them counts by the share that is still inside; 0: it counts whole. */
  readonly weighted: number
}

// row: [a moment in the current sub-window, the units taken in it, the units taken in the sub-window before, …]
// A moment and not the sub-window's start, so that the units still stand where they belong when the window's length is changed.
const SINCE = 0
const NEWEST = 1

/** Two counters: the usual form. */
export const slidingWindowSteps: Algorithm<SlidingWindowParams> = {
  ...usualReading,
  id: 2,
  cells: ({ older }) => ({ moments: 1, counts: 1 + older }),
  args: ({ limit, size, older, weighted }) => [limit, size, older, weighted],
  lua: slidingWindowLua,

  look(row, params, now, cost) {
    const { limit, size, older } = params
    const passed = (startOf(now, size) - opening(row, size)) / size
    if (passed > 0) {
      for (let i = older; i >= 0; i--) row[NEWEST + i] = i >= passed ? row[NEWEST + i - passed] : 0
      row[SINCE] = now
    }
    const room = limit - whole(row, params) - cost
    return limit > 0 && room >= 0 && carried(row, params, now) <= room * size
  },

  take(row, _params, _now, cost) {
    row[NEWEST] += cost
  },

  refundReceipt(row, { size, older }, _now, cost, receipt) {
    const passed = (opening(row, size) - opening(receipt, size)) / size
    // What was forgotten, and begun anew in the same sub-window, began at another moment.
    const isKnown = passed > 0 || row[SINCE] === receipt[SINCE]
    if (isKnown && passed >= 0 && passed <= older) {
      row[NEWEST + passed] -= Math.min(cost, row[NEWEST + passed])
    }
  },

  refundUnits(row, { older }, _now, units) {
    let left = units
    for (let i = 0; i <= older; i++) {
      const given = Math.min(left, row[NEWEST + i])
      row[NEWEST + i] -= given
      left -= given
    }
  },

  ends(row, { size, older }) {
    for (let i = 0; i <= older; i++) {
      if (row[NEWEST + i] > 0) return opening(row, size) + (older + 1 - i) * size
    }
    return 0
  },

  wait(row, params, now, cost) {
    const { limit, size, older, weighted } = params
    if (cost > limit || limit === 0) return Infinity
    let room = limit - whole(row, params) - cost
    if (room >= 0 && carried(row, params, now) <= room * size) return 0
    // Sub-window by sub-window from here on: the oldest leaves, if weighted little by little, and the next becomes the oldest.
    const start = opening(row, size)
    for (let ahead = 0; ahead <= older; ahead++) {
      const leaving = weighted * row[NEWEST + older - ahead]
      const elapsed = room < 0 ? size : elapsedUntil(leaving, room, size)
      const fits = start + ahead * size + elapsed
      if (elapsed < size && fits > now) return fits - now
      if (ahead + weighted <= older) room += row[NEWEST + older - ahead - weighted]
    }
    return start + (older + 1) * size - now
  },

  used: (row, params, now) =>
    whole(row, params) + Math.ceil(carried(row, params, now) / params.size),
  quota: (params) => params.limit,
  windowMs: ({ size, older, weighted }) => size * (older + 1 - weighted),
  followsWall: () => false,
  full: (row, params) => slidingWindowSteps.ends(row, params),
  next: (row, params, now, remaining) => slidingWindowSteps.wait(row, params, now, remaining),
}

/** More counters, or none that is weighted. Their number stands in the policy, so their rows are marked as of varying width. */
export const slidingBucketsSteps: Algorithm<SlidingWindowParams> = {
  ...slidingWindowSteps,
  id: 128,
}

function opening(row: Row, size: number): number {
  return startOf(row[SINCE], size)
}

/** The start of the sub-window that a moment lies in. By a division, as Lua's remainder is: exact below 2^52, and much faster than `%`. */
function startOf(moment: number, size: number): number {
  return Math.floor(moment / size) * size
}

/** The units of all sub-windows that count whole. */
function whole(row: Row, { older, weighted }: SlidingWindowParams): number {
  let sum = 0
  for (let i = older - weighted; i >= 0; i--) sum += row[NEWEST + i]
  return sum
}

/** What the sub-window that is leaving still counts for, in units × size: whole numbers, so nothing is ever rounded. */
function carried(row: Row, { size, older, weighted }: SlidingWindowParams, now: number): number {
  const elapsed = Math.max(0, now - opening(row, size))
  return weighted * row[NEWEST + older] * (size - elapsed)
}

/** The least whole e in 0 … size with units × (size - e) ≤ room × size. */
function elapsedUntil(units: number, room: number, size: number): number {
  return units <= room ? 0 : size - Math.floor((room * size) / units)
}
