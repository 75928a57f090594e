import type { Params, Reading, Row } from './algorithm.js'

interface Readable {
  readonly steps: Reading
  readonly params: Params
}

/** Whole milliseconds until so many units remain, one more than now. */
export function waitToRemain(
  { steps, params }: Readable,
  row: Row,
  now: number,
  remaining: number,
): number {
  return steps.next === undefined
    ? steps.wait(row, params, now, remaining)
    : steps.next(row, params, now, remaining)
}

/** The moment from which the quota is full. */
export function fullAt({ steps, params }: Readable, row: Row): number {
  return steps.full === undefined ? steps.ends(row, params) : steps.full(row, params)
}
