import type { Reading } from './algorithm.js'

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
