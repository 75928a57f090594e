import { loadOf, type Load } from '../loads.js'

/** The loads over one connection. */
export const loads: readonly Load[] = [
  loadOf(1, 2000),
  loadOf(8, 8000),
  loadOf(16, 12_000),
  loadOf(64, 20_000),
  loadOf(512, 30_000),
  loadOf(512, 30_000, true),
]

/** The loads by which the CPU time of a decision is compared. */
export const costLoads: readonly Load[] = loads.filter(
  ({ inFlight, isHot }) => [1, 64, 512].includes(inFlight) && !isHot,
)

/** The load without and with `spendAhead`. */
export const hotLoad: Load = loadOf(64, 100_000, true)

/** The arguments of a process that measures a limiter with three policies, or one that takes units of hot keys ahead. */
export const threePolicies = 'three policies'
export const ahead = 'spendAhead'
