import type { Row } from '../algorithms/algorithm.js'
import type { Block } from '../policy.js'

// The row of a block: [end of the last block, length of the last block]
export const UNTIL = 0
export const LENGTH = 1

/** The row of a block that starts now. If the last block ended recently, it is longer by the factor `escalate`. */
export function startedBlock(row: Row, { for: first, escalate, max }: Block, now: number): Row {
  const escalates = row[LENGTH] > 0 && now < blockForgotten(row)
  const length = escalates ? Math.min(max, Math.floor(row[LENGTH] * escalate)) : first
  return [now + length, length]
}

/** The moment from which the last block no longer makes the next one longer. */
export function blockForgotten(row: Row): number {
  return row[UNTIL] + row[LENGTH]
}
