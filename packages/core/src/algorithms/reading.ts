import type { Algorithm, Reading, SettledRow } from './algorithm.js'

/** The values of most algorithms: no delay, no row after a denial of a new key, and no limit of penalties except that of the limiter. */
export const usualReading: Pick<
  Reading,
  'delay' | 'maxPenalty' | 'persistsOnDenial' | 'countsNothing'
> = {
  delay: () => 0,
  maxPenalty: () => Infinity,
  persistsOnDenial: () => false,
  countsNothing: false,
}

/** Takes the cost if it is not 0, and reads the row, by the other steps of the algorithm. */
export function settleBy<P extends object>(
  steps: Algorithm<P>,
  settled: SettledRow<P>,
  cost: number,
): void {
  const { row, params, now } = settled
  if (cost > 0) {
    steps.take(row, params, now, cost)
    settled.ends = steps.ends(row, params)
  }
  readBy(steps, settled)
}

/** Reads the row: the numbers of the decision. */
export function readBy<P extends object>(steps: Reading<P>, settled: SettledRow<P>): void {
  const { row, params, now } = settled
  const used = steps.used(row, params, now)
  const free = Math.max(0, steps.quota(params) - used)
  settled.used = used
  settled.next = steps.next(row, params, now, free + 1)
  settled.full = steps.full(row, params)
}
