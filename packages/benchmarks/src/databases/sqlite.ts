import { sqliteDrivers, type SqliteConnection } from '@sluice/test-kit/sqlite'
import { sqliteStore } from '@sluice/sqlite'
import { RateLimiterSQLite } from 'rate-limiter-flexible'
import { consuming, limit, timeout } from '../deciding.js'
import {
  flexible,
  flexibleOptions,
  slidingOver,
  sluice,
  upsert,
  type Contender,
} from './contender.js'

/** Over better-sqlite3, which rate-limiter-flexible needs, and Sluice also over node:sqlite if this Node.js has it. */
export const sqliteContenders = (): readonly Contender[] => [
  {
    name: upsert,
    async open(file) {
      const connection = connect(file, 'upsert (key text primary key, count integer not null)')
      const statement = connection.prepare(
        'insert into upsert values (?, 1) on conflict (key) do update set count = count + 1 returning count',
      )
      return async (key) => {
        return Number(valueOf(statement.get(key))) <= limit
      }
    },
  },
  {
    name: sluice,
    open: async (file) => slidingOver(sqliteStore(connect(file), { timeout })),
  },
  ...sqliteDrivers()
    .slice(0, -1)
    .map(({ name, open }) => ({
      name: `${sluice}, ${name}`,
      open: async (file: string) => slidingOver(sqliteStore(open(file), { timeout })),
    })),
  {
    name: flexible,
    async open(file) {
      // The columns of the table that it creates itself.
      const columns = 'key text primary key, points integer not null default 0, expire integer'
      const storeClient = connect(file, `flexible (${columns})`)
      const own = { storeClient, storeType: 'better-sqlite3', tableName: 'flexible' }
      return consuming(new RateLimiterSQLite({ ...flexibleOptions, ...own }))
    },
  },
]

/** Opens the file with the settings of `sqliteStore`, and creates a table. */
function connect(file: string, table?: string): SqliteConnection {
  const driver = sqliteDrivers().find(({ name }) => name === 'better-sqlite3')
  if (driver === undefined)
    throw new Error('better-sqlite3 is not installed: npm run setup -- --sqlite')
  const connection = driver.open(file)
  connection.exec('pragma journal_mode = wal')
  connection.exec('pragma synchronous = normal')
  if (table !== undefined) connection.exec(`create table if not exists ${table}`)
  return connection
}

/** The version of SQLite in the driver. */
export function sqliteVersion(): string {
  const connection = connect(':memory:')
  const version = String(valueOf(connection.prepare('select sqlite_version()').get()))
  connection.close()
  return version
}

/** The only column of a row. */
function valueOf(row: unknown): unknown {
  const values: readonly unknown[] = Object.values(row ?? {})
  return values[0]
}
