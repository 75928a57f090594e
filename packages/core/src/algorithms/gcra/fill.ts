import { sluiceError } from '../../errors.js'
import { longestMs } from '../../options/readers.js'

/** Moments further ahead would leave the six bytes that Redis keeps them in. */
const longestFillMs = 100 * longestMs

/** Refuses more units than come back in a thousand years. */
export function assertFills(
  where: string,
  option: string,
  units: number,
  refill: number,
  every: number,
): void {
  const most = mostUnits(refill, every)
  if (units <= most) return
  const expected = `at most ${most}: more would take over a thousand years to come back`
  throw sluiceError('SLUICE_OPTION_INVALID', where, option, units, expected)
}

/** The units that come back in that time, if as many can be counted exactly. */
export function mostUnits(refill: number, every: number): number {
  return Math.floor(Math.min(longestFillMs * refill, Number.MAX_SAFE_INTEGER) / every)
}

/**
 * How long all units take to come back, in two bytes: four digits of it, and how many places follow. What people write is exact, '10s' as
 * '7d'; the rest is rounded up. A state that carries its span can be carried over to a policy with another.
 */
export function spanOf(units: number, refill: number, every: number): number {
  let length = Math.ceil((units * every) / refill)
  let places = 0
  for (; length >= 8192; places++) length = Math.ceil(length / 10)
  return places * 8192 + length
}

/** No span is as large: it takes 17 bits of a cell, and leaves 36 for another number. */
export const spans: number = 2 ** 17

/** The milliseconds that a span stands for. */
export function lengthOf(span: number): number {
  return (span % 8192) * 10 ** Math.floor(span / 8192)
}
