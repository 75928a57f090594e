import type { Algorithm, Row } from '../algorithm.js'
import { gcraLua } from './script.js'

/**
 * `refill` units come back in each `every` milliseconds, `burst` at most are there at once. Time is counted in fractions of
 * 1 / `refill` ms: one unit lasts exactly `every` of them, so nothing is ever rounded, not at ten million units a second.
 */
export type GcraParams = {
  readonly burst: number
  readonly refill: number
  readonly every: number
}

// row: [the theoretical arrival time: the moment at which the key is idle again, whole milliseconds;
//       and what is beyond it, in fractions of 1 / refill ms]
const TAT = 0
const FRACTION = 1

export const gcraSteps: Algorithm<GcraParams> = {
  id: 3,
  cells: () => ({ moments: 1, counts: 1 }),
  order: ['burst', 'refill', 'every'],
  lua: gcraLua,

  look(row, params, now, cost) {
    if (row[TAT] < now) {
      row[TAT] = now
      row[FRACTION] = 0
    } else if (row[FRACTION] >= params.refill) {
      // Counted in finer fractions, by the policy as it was before it changed: round up, to the strict side.
      row[TAT] += 1
      row[FRACTION] = 0
    }
    return params.burst > 0 && cost <= params.burst && now >= fitsAt(row, params, cost)
  },

  take(row, { refill, every }, _now, cost) {
    const whole = Math.floor((cost * every) / refill)
    const fraction = row[FRACTION] + (cost * every - whole * refill)
    const carry = fraction >= refill ? 1 : 0
    row[TAT] += whole + carry
    row[FRACTION] = fraction - carry * refill
  },

  ends(row) {
    return row[TAT] + (row[FRACTION] > 0 ? 1 : 0)
  },

  wait(row, params, now, cost) {
    if (cost > params.burst || params.burst === 0) return Infinity
    return Math.max(0, fitsAt(row, params, cost) - now)
  },

  remaining(row, { burst, refill, every }, now) {
    const backlog = (row[TAT] - now) * refill + row[FRACTION]
    return Math.max(0, Math.floor((burst * every - backlog) / every))
  },

  quota: (params) => params.burst,
  windowMs: ({ burst, refill, every }) => Math.ceil((burst * every) / refill),
  followsWall: () => false,
}

/** The first whole millisecond at which the backlog leaves room for `cost`. */
function fitsAt(row: Row, { burst, refill, every }: GcraParams, cost: number): number {
  const room = (burst - cost) * every - row[FRACTION]
  return row[TAT] - Math.floor(room / refill)
}
