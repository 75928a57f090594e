import { loadOf, type Load } from '../loads.js'
import { databaseNames, type DatabaseKind } from './contender.js'

/** First for 10,000 keys by Zipf's law, then for one key. */
export const loads: readonly Load[] = [false, true].flatMap((isHot) => [
  loadOf(1, 3000, isHot),
  loadOf(8, 6000, isHot),
  loadOf(64, 12_000, isHot),
  loadOf(512, 15_000, isHot),
])

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
