import type { Row } from '../../algorithms/algorithm.js'
import type { State } from '../store.js'

// row: [the moment of the last reset, how many resets there were in that millisecond]
const AT = 0
const COUNT = 1

/**
 * The row of a reset lies beside its policy's row, under an id that no algorithm has. It is kept until the units that the reset forgot would have
 * expired, so that a refund of an earlier decision takes no unit of a later one.
 */
export const resetId = 126

/** The row of a reset at `now`, after the one in `row`. */
export function nextReset(row: Row, now: number): Row {
  return row[AT] < now ? [now, 1] : [row[AT], row[COUNT] + 1]
}

/** How many resets there were in the millisecond of `now`. */
export function resetsIn(row: Row, now: number): number {
  return row[AT] === now ? row[COUNT] : 0
}

/** Whether the key was reset after the decision of this receipt. */
export function isForgotten(row: Row, { now, resets = 0 }: State): boolean {
  return now < row[AT] || (now === row[AT] && resets !== row[COUNT])
}
