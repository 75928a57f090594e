import { count, nameOf, ratio, table } from '../markdown.js'
import { fieldOf } from '../ratios.js'
import type { DatabaseKind } from './contender.js'
import { loads } from './loads.js'

/** As the pages of the databases link it. */
const benchmarks = '../../benchmarks/README.md'

/** Decisions per second ÷ those of a plain statement, from the results of the section: for the page of a database. */
export function databaseSpeedTable(results: unknown, database: DatabaseKind): string | undefined {
  const contenders = fieldOf(results, database)
  if (!Array.isArray(contenders)) return undefined
  const speeds = table(
    ['', ...contenders.map((one) => nameOf(String(fieldOf(one, 'name'))))],
    loads.map(({ name }) =>
      [name].concat(
        contenders.map((one) => {
          const path = ['loads', name, 'perSecond', 'ratio', 'median']
          return ratio(Number(path.reduce(fieldOf, one)))
        }),
      ),
    ),
  )
  const introduction = `Decisions per second of one process, as a multiple of a plain statement that adds 1 to a row ([all figures](${benchmarks}#databases)):`
  return `${introduction}\n\n${speeds}`
}

/** The times for which several processes wait for one limiter, from the results of the section. */
export function databaseSharedTable(results: unknown, database: DatabaseKind): string | undefined {
  const shared = fieldOf(results, 'shared')
  if (!Array.isArray(shared)) return undefined
  const own = shared.filter((one) => fieldOf(one, 'database') === database)
  const medianOf = (one: unknown, figure: string): number =>
    Number([figure, 'median'].reduce(fieldOf, one))
  const times = table(
    ['', 'p50, ms', 'p99, ms', 'decided by `onStoreError`'],
    own.map((one) => [
      String(fieldOf(one, 'name')),
      count(medianOf(one, 'p50Ms')),
      count(medianOf(one, 'p99Ms')),
      `${count(100 * medianOf(one, 'lateShare'))} %`,
    ]),
  )
  const cores = Number(['conditions', 'cores'].reduce(fieldOf, results))
  return `Processes that decide by one limiter without a pause, on ${cores} cores, with the default timeout. The times are those of the slowest process:\n\n${times}`
}
