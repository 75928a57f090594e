import { conditionsOf, sentenceOf } from '../conditions.js'
import { measureAll } from '../databases/measure.js'
import { sqliteVersion } from '../databases/sqlite.js'
import {
  costsOf,
  costTable,
  ratiosOfDatabases,
  sharedTable,
  speedTable,
} from '../databases/tables.js'
import type { Section } from '../section.js'

/** The cost of a decision over PostgreSQL and over SQLite, beside the stores of rate-limiter-flexible. */
export const databases: Section = {
  name: 'databases',
  minutes: 7,
  async run(say, quick) {
    const rounds = quick ? 1 : 5
    const measured = await measureAll(say, { rounds, divisor: quick ? 10 : 1 })
    const { postgres, sqlite, shared, groups, returning, version } = measured
    const conditions = { ...(await conditionsOf()), postgres: version, sqlite: sqliteVersion() }
    return {
      results: {
        conditions,
        rounds,
        postgres: costsOf('postgres', postgres),
        sqlite: costsOf('sqlite', sqlite),
        shared,
        groups,
        returning,
        refusedShare: groups.refused / (groups.saved + groups.refused),
      },
      ratios: ratiosOfDatabases(measured),
      table: [
        `${sentenceOf(conditions)} PostgreSQL ${version}, with unlogged tables. SQLite ${conditions.sqlite}, with WAL and \`synchronous = normal\`. ` +
          `${rounds} rounds, medians of ratios to a plain statement, which adds 1 to a row.`,
        '',
        'Decisions per second over PostgreSQL ÷ the plain statement, by the number of decisions in flight (more is better), on 10,000 keys by Zipf’s law:',
        '',
        speedTable(postgres, false),
        '',
        'The same on one key:',
        '',
        speedTable(postgres, true),
        '',
        'Decisions per second over SQLite ÷ the plain statement, on 10,000 keys:',
        '',
        speedTable(sqlite, false),
        '',
        'The same on one key:',
        '',
        speedTable(sqlite, true),
        '',
        'The CPU time of a decision ÷ the plain statement, with 64 in flight on 10,000 keys (less is better):',
        '',
        costTable(measured),
        '',
        'Several processes with one limiter of Sluice, with the default timeout. The times are those of the slowest process:',
        '',
        sharedTable(shared),
        '',
        `Of ${groups.saved + groups.refused} groups that a single process saved, PostgreSQL refused ${groups.refused}; of ${returning.saved + returning.refused} whose rows had ended, ${returning.refused}.`,
      ].join('\n'),
    }
  },
}
