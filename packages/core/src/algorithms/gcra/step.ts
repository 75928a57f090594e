import type { Algorithm, Row } from '../algorithm.js'
import { lengthOf, mostUnits } from './fill.js'
import { gcraLua } from './script.js'

/**
 * `refill` units come back in each `every` milliseconds, `burst` at most are there at once. Time is counted in fractions of
 * 1 / `refill` ms: one unit lasts exactly `every` of them, so nothing is ever rounded, not at ten million units a second.
 */
export type GcraParams = {
  readonly burst: number
  readonly refill: number
  readonly every: number
  /** How many units a key has that was never seen. */
  readonly initial: number
  /** How long a bucket that is born with less than it holds is remembered after it was full, lest it be born again, in milliseconds. */
  readonly remembered: number
  /** How long all units take to come back, as `spanOf` has it. 0 where a changed policy leaves the backlog as it is. */
  readonly span: number
}

// row: [the theoretical arrival time: the moment at which the key is idle again, whole milliseconds;
//       what is beyond it, in fractions of 1 / refill ms; the policy's span when it was written]
const TAT = 0
const FRACTION = 1
const SPAN = 2

/** Only one penalty on another reaches so far: the year 6429, half of what six bytes hold. */
const latest = 2 ** 47

export const gcraSteps: Algorithm<GcraParams> = {
  id: 3,
  cells: () => ({ moments: 1, counts: 2 }),
  args: ({ burst, refill, every, initial, remembered, span }) => {
    return [burst, refill, every, initial, remembered, span]
  },
  lua: gcraLua,

  look(row, params, now, cost) {
    const { burst, refill, every, initial } = params
    rescale(row, params, now)
    if (initial < burst && now >= gcraSteps.ends(row, params)) {
      row[TAT] = now
      row[FRACTION] = 0
      gcraSteps.take(row, params, now, burst - initial)
    } else if (row[TAT] < now) {
      row[TAT] = now
      row[FRACTION] = 0
    } else if (row[FRACTION] >= refill) {
      // Counted in finer fractions, by the policy as it was before it changed: round up, to the strict side.
      row[TAT] += 1
      row[FRACTION] = 0
    }
    return burst > 0 && cost <= burst && now >= backlogAtMost(row, refill, (burst - cost) * every)
  },

  take(row, { refill, every }, _now, cost) {
    const whole = Math.floor((cost * every) / refill)
    const fraction = row[FRACTION] + (cost * every - whole * refill)
    const carry = fraction >= refill ? 1 : 0
    row[TAT] = Math.min(row[TAT] + whole + carry, latest)
    row[FRACTION] = fraction - carry * refill
  },

  // First come, first gone: what the receipt's request took is the last stretch before its arrival time.
  give(row, params, now, cost, receipt) {
    const left = backlog(receipt, params, now)
    if (left > 0) shorten(row, params, now, Math.min(cost * params.every, left))
  },

  forgive(row, params, now, units) {
    const newest = Math.min(units, gcraSteps.used(row, params, now))
    shorten(row, params, now, newest * params.every)
  },

  ends(row, { burst, initial, remembered }) {
    if (row[TAT] === 0 && row[FRACTION] === 0) return 0
    return idleAt(row) + (initial < burst ? remembered : 0)
  },

  wait(row, { burst, refill, every }, now, cost) {
    if (cost > burst || burst === 0) return Infinity
    return Math.max(0, backlogAtMost(row, refill, (burst - cost) * every) - now)
  },

  used: (row, params, now) => Math.ceil(Math.max(0, backlog(row, params, now)) / params.every),
  quota: (params) => params.burst,
  windowMs: ({ burst, refill, every }) => Math.ceil((burst * every) / refill),
  followsWall: () => false,

  most: ({ refill, every }) => mostUnits(refill, every),
  full: idleAt,
  bornDenied: ({ burst, initial }) => initial < burst,
}

/** Where the policy has changed since, the same share of it stays used: rounded up, to the strict side. */
function rescale(row: Row, { span }: GcraParams, now: number): void {
  if (row[SPAN] !== 0 && row[SPAN] !== span && row[TAT] >= now) {
    const left = row[TAT] - now + (row[FRACTION] > 0 ? 1 : 0)
    row[TAT] = now + Math.ceil((left * lengthOf(span)) / lengthOf(row[SPAN]))
    row[FRACTION] = 0
  }
  row[SPAN] = span
}

/** The first whole millisecond at which all that was taken has drained. */
export function idleAt(row: Row): number {
  return row[TAT] + (row[FRACTION] > 0 ? 1 : 0)
}

/** What has not drained yet, in fractions of 1 / refill ms. */
export function backlog(row: Row, { refill }: GcraParams, now: number): number {
  return (row[TAT] - now) * refill + row[FRACTION]
}

/** The first whole millisecond at which no more than `most` fractions of backlog are left. */
export function backlogAtMost(row: Row, refill: number, most: number): number {
  return row[TAT] - Math.floor((most - row[FRACTION]) / refill)
}

function shorten(row: Row, { refill }: GcraParams, now: number, fractions: number): void {
  const whole = Math.floor(fractions / refill)
  const fraction = row[FRACTION] - (fractions - whole * refill)
  const borrow = fraction < 0 ? 1 : 0
  row[TAT] -= whole + borrow
  row[FRACTION] = fraction + borrow * refill
  if (row[TAT] < now) {
    row[TAT] = now
    row[FRACTION] = 0
  }
}
