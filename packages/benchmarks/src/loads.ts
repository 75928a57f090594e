import type { ContenderProcess } from './processes/contender-process.js'
import type { Reading } from './processes/reading.js'

/** Decisions of one process, with a number of them in flight at a time. */
export interface Load {
  readonly name: string
  /** The name of its column. */
  readonly title: string
  readonly inFlight: number
  /** Whether all decisions are for one key. Otherwise they are for 10,000 keys. */
  readonly isHot: boolean
  readonly decisions: number
}

export function loadOf(inFlight: number, decisions: number, isHot = false): Load {
  const name = inFlight === 1 ? 'one at a time' : `${inFlight} in flight`
  const load = { inFlight, isHot, decisions }
  if (!isHot) return { ...load, name, title: `${inFlight}` }
  return { ...load, name: `${name} on one key`, title: `${inFlight}, one key` }
}

/**
 * Measures a process under each load. `timed` does the work and returns the cost of one decision for the server. All numbers of decisions are
 * divided by `divisor`.
 */
export async function underLoads(
  process: ContenderProcess,
  loads: readonly Load[],
  divisor: number,
  timed: (work: () => Promise<void>, decisions: number) => Promise<Reading>,
): Promise<Reading> {
  const found: Record<string, number> = {}
  for (const { name, decisions } of loads) {
    const amount = Math.ceil(decisions / divisor)
    let reading: Reading = {}
    const cost = await timed(async () => {
      reading = await process.measure(`${name} of ${amount}`)
    }, amount)
    for (const [figure, value] of Object.entries({ ...reading, ...cost })) {
      found[`${name} ${figure}`] = value
    }
  }
  return found
}
