import { sentenceOf } from '../conditions.js'
import { databaseNames, type DatabaseKind } from '../databases/contender.js'
import { loads } from '../databases/loads.js'
import { measureAll } from '../databases/measure.js'
import { joined, mediansOf } from '../figures.js'
import { count, groupTable, inUnits, medianCell, multipleCell, type Column } from '../markdown.js'
import { compared, type Comparison } from '../ratios.js'
import type { Results } from '../results.js'
import type { Section } from '../section.js'

/** The load by which the CPU time of a decision is compared. */
const costLoad = '64 in flight'

/** The cost of a decision over PostgreSQL and over SQLite, beside the stores of rate-limiter-flexible. */
export const databases: Section = {
  name: 'databases',
  minutes: 7,
  measure: async (say, quick) =>
    measureAll(say, { rounds: quick ? 1 : 5, divisor: quick ? 10 : 1 }),
  page({ conditions, amounts, groups: { postgres, sqlite, shared } }) {
    const { rounds, saved, refused, savedOfReturning, refusedOfReturning } = amounts
    return [
      `${sentenceOf(conditions)} PostgreSQL ${conditions['postgres']}, with unlogged tables. SQLite ${conditions['sqlite']}, with WAL and \`synchronous = normal\`. ` +
        `${rounds} rounds, medians of ratios to a plain statement, which adds 1 to a row.`,
      'Decisions per second over PostgreSQL ÷ the plain statement, by the number of decisions in flight (more is better), on 10,000 keys by Zipf’s law:',
      groupTable(speedColumns(false), postgres),
      'The same on one key:',
      groupTable(speedColumns(true), postgres),
      'Decisions per second over SQLite ÷ the plain statement, on 10,000 keys:',
      groupTable(speedColumns(false), sqlite),
      'The same on one key:',
      groupTable(speedColumns(true), sqlite),
      'The CPU time of a decision ÷ the plain statement, with 64 in flight on 10,000 keys (less is better):',
      groupTable(
        [
          costColumn('server of PostgreSQL', 'postgres', 'serverMicroseconds'),
          costColumn('client of PostgreSQL', 'postgres', 'clientMicroseconds'),
          costColumn('process with SQLite', 'sqlite', 'clientMicroseconds'),
        ],
        joined({ postgres, sqlite }),
      ),
      'Several processes with one limiter of Sluice, with the default timeout. The times are those of the slowest process:',
      groupTable(
        [
          ['p50, ms', medianCell('p50Ms', count)],
          ['p99, ms', medianCell('p99Ms', count)],
          ['not within the timeout', medianCell('lateShare', (share) => `${count(100 * share)} %`)],
        ],
        shared,
      ),
      `Of ${saved + refused} groups that a single process saved, PostgreSQL refused ${refused}; of ${savedOfReturning + refusedOfReturning} whose rows had ended, ${refusedOfReturning}.`,
    ]
  },
  ratios: ({ groups }) => [
    ...speedsOf('postgres', groups),
    compared(
      `CPU of PostgreSQL for a decision, ${costLoad} ÷ a plain statement`,
      'less',
      mediansOf(groups['postgres'], `${costLoad} serverMicroseconds ÷`),
    ),
    ...speedsOf('sqlite', groups),
  ],
}

function speedColumns(isHot: boolean): readonly Column[] {
  return loads
    .filter((load) => load.isHot === isHot)
    .map(({ name, inFlight }) => [`${inFlight}`, multipleCell(`${name} perSecond`, inUnits('/s'))])
}

function costColumn(title: string, database: DatabaseKind, figure: string): Column {
  return [title, multipleCell(`${database} ${costLoad} ${figure}`, inUnits(' µs'))]
}

function speedsOf(database: DatabaseKind, groups: Results['groups']): readonly Comparison[] {
  return loads.map(({ name }) =>
    compared(
      `decisions per second over ${databaseNames[database]}, ${name} ÷ a plain statement`,
      'more',
      mediansOf(groups[database], `${name} perSecond ÷`),
    ),
  )
}
