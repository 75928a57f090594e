import type { Reading } from './algorithm.js'

/** What most algorithms answer: a decision delays nobody, a denial leaves no row, and a penalty is bounded by the limiter alone. */
export const usualReading: Pick<
  Reading,
  'delay' | 'maxPenalty' | 'persistsOnDenial' | 'countsNothing'
> = {
  delay: () => 0,
  maxPenalty: () => Infinity,
  persistsOnDenial: () => false,
  countsNothing: false,
}
