import { longestMs } from '../../options/readers.js'
import { quotientOf } from '../quotient.js'

/**
 * `refill` units become available in each `every` milliseconds, up to `burst`. Time is counted in fractions of 1 / `refill` ms: one unit
 * is exactly `every` fractions, so nothing is rounded, even at ten million units a second.
 */
export interface Rate {
  readonly burst: number
  readonly refill: number
  readonly every: number
}

/**
 * The rate by which units are counted: the given one, if a number can count the fractions of a whole burst. Otherwise the same rate in lower terms. If these are
 * still too large, one that is slower by less than one part in 10^6, so that it never allows more. If there is none, the given one.
 */
export function countedRate(given: Rate): Rate {
  if (isCountable(given)) return given
  const { burst, refill, every } = given
  const divisor = greatestDivisor(refill, every)
  const reduced = { burst, refill: refill / divisor, every: every / divisor }
  if (isCountable(reduced)) return reduced
  const most = Math.floor(2 ** 52 / Math.max(1, windowOf(given)))
  const slower = quotientOf(every, most, refill) + 1
  const rounded = { burst, refill: quotientOf(refill, slower, every), every: slower }
  const isClose = Math.max(rounded.refill, slower) > 1e6
  return isClose && isCountable(rounded) ? rounded : given
}

function isCountable({ burst, refill, every }: Rate): boolean {
  return burst * every + refill < 2 ** 53
}

/** The milliseconds in which a whole burst becomes available. */
export function windowOf({ burst, refill, every }: Rate): number {
  return (burst * every) / refill
}

/** The units that become available in a thousand years, as far as they can be counted exactly. Later times would not fit into six bytes, their size in Redis. */
export function mostUnits({ refill, every }: Rate): number {
  const most = Math.min(100 * longestMs * Math.max(1, refill), Number.MAX_SAFE_INTEGER)
  return Math.floor(most / every)
}

/** Euclid, Elements, book VII, proposition 2. */
function greatestDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestDivisor(b, a % b)
}
