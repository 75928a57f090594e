import type { Row } from '../algorithm.js'

/**
 * How long all units take to become available again, in two bytes: the leading digits, and the number of zeros after them. Usual durations
 * such as '10s' or '7d' are exact; others are rounded up. With its span, a state can be converted to a policy with another span.
 */
export function spanOf(ms: number): number {
  let length = Math.ceil(ms)
  let places = 0
  for (; length >= 8192; places++) length = Math.ceil(length / 10)
  return places * 8192 + length
}

/** Every span is smaller: it takes 17 bits of a cell and leaves 36 for another number. */
export const spans: number = 2 ** 17

/** The milliseconds that a span represents. */
export function lengthOf(span: number): number {
  return (span % 8192) * 10 ** Math.floor(span / 8192)
}

/** The cell of a row: the span of the policy that wrote it, plus `spans` times the units refunded since the row was created. */
export const SPAN = 2

/** The span of the policy that wrote the row; 0 in a row of zeros. */
export function spanIn(row: Row): number {
  return row[SPAN] % spans
}

export function setSpan(row: Row, span: number): void {
  row[SPAN] += span - spanIn(row)
}

/** Whether the row has a backlog of a policy with another span. */
export function isForeign(row: Row, span: number): boolean {
  if (row[SPAN] === span) return false
  const before = spanIn(row)
  return before !== 0 && before !== span
}

/** The units refunded since the row was created. */
export function refundedUnits(row: Row): number {
  return row[SPAN] < spans ? 0 : Math.floor(row[SPAN] / spans)
}
