import { databaseNames, type DatabaseKind } from './contender.js'

/** Decisions of one process, with a number of them in flight at a time. */
export interface Load {
  readonly name: string
  readonly inFlight: number
  /** Whether all decisions are for one key. Otherwise they are for 10,000 keys by Zipf's law. */
  readonly isHot: boolean
  readonly decisions: number
}

const counts = [
  { inFlight: 1, decisions: 3000 },
  { inFlight: 8, decisions: 6000 },
  { inFlight: 64, decisions: 12_000 },
  { inFlight: 512, decisions: 15_000 },
]

export const loads: readonly Load[] = [false, true].flatMap((isHot) =>
  counts.map(({ inFlight, decisions }) => {
    const flight = inFlight === 1 ? 'one at a time' : `${inFlight} in flight`
    return { name: isHot ? `${flight} on one key` : flight, inFlight, isHot, decisions }
  }),
)

/** The load by which the CPU time of a decision is compared. */
export const costLoad = '64 in flight'

/** Several processes that decide by one limiter, and wait for the default timeout at most. */
export interface SharedLoad {
  readonly name: string
  readonly database: DatabaseKind
  readonly processes: number
  readonly inFlight: number
  readonly isHot: boolean
  /** Of each process. */
  readonly decisions: number
}

export const sharedLoads: readonly SharedLoad[] = [
  shared('sqlite', 4, 1, false, 1000),
  shared('sqlite', 4, 1, true, 1000),
  shared('sqlite', 8, 8, true, 1000),
  shared('postgres', 2, 8, true, 1000),
  shared('postgres', 4, 8, true, 1000),
  shared('postgres', 8, 1, true, 400),
  shared('postgres', 8, 8, true, 1000),
]

function shared(
  database: DatabaseKind,
  processes: number,
  inFlight: number,
  isHot: boolean,
  decisions: number,
): SharedLoad {
  const flight = inFlight === 1 ? 'one at a time' : `${inFlight} in flight each`
  const name = `${databaseNames[database]}, ${processes} processes, ${flight}${isHot ? ', on one key' : ''}`
  return { name, database, processes, inFlight, isHot, decisions }
}
