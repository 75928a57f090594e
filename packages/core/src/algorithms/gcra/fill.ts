import { sluiceError } from '../../errors.js'
import { longestMs } from '../../policy.js'

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
