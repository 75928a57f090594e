import { sluiceError } from '../../errors.js'
import { longestMs } from '../../options/readers.js'

/** Times further in the future would not fit into six bytes, which is their size in Redis. */
const longestFillMs = 100 * longestMs

/** Rejects a number of units that would take more than a thousand years to become available again. */
export function assertFills(
  where: string,
  option: string,
  units: number,
  refill: number,
  every: number,
): void {
  const most = mostUnits(refill, every)
  if (units <= most) return
  const expected = `at most ${most}: more would take over a thousand years to become available again`
  throw sluiceError('SLUICE_OPTION_INVALID', where, option, units, expected)
}

/** The number of units that become available in that time, as far as it can be counted exactly. */
export function mostUnits(refill: number, every: number): number {
  return Math.floor(Math.min(longestFillMs * refill, Number.MAX_SAFE_INTEGER) / every)
}

/**
 * How long all units take to become available again, in two bytes: the leading digits, and the number of zeros after them. Usual durations
 * such as '10s' or '7d' are exact; others are rounded up. With its span, a state can be converted to a policy with another span.
 */
export function spanOf(units: number, refill: number, every: number): number {
  let length = Math.ceil((units * every) / refill)
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
