import type { Row } from '../algorithms/algorithm.js'
import type { Block } from '../policy.js'

// row: [the end of the last block, its length]
export const UNTIL = 0
export const LENGTH = 1

/** A block's row lies beside its policy's, under an id that no algorithm has. */
export const blockId = 127

/** The row of a block that starts now: the first of its kind, or one that follows so soon on the last that it escalates. */
export function startedBlock(row: Row, { for: first, escalate, max }: Block, now: number): Row {
  const soon = row[LENGTH] > 0 && now < blockForgotten(row)
  const length = soon ? Math.min(max, Math.floor(row[LENGTH] * escalate)) : first
  return [now + length, length]
}

/** The moment from which the last block no longer makes the next one longer. */
export function blockForgotten(row: Row): number {
  return row[UNTIL] + row[LENGTH]
}
