import { SluiceError, type AsyncStore } from '@sluice/core'
import {
  databaseOptionReaders,
  databaseStore,
  type Database,
  type DatabaseStoreOptions,
} from '@sluice/core/database'
import { checked, optional, readOptions } from '@sluice/core/internal'
import { columnsOf, isSqliteClient, type SqliteClient, type SqliteStatement } from './client.js'
import { sqliteDatabase } from './database.js'

/** Options of `sqliteStore`. */
export interface SqliteStoreOptions extends DatabaseStoreOptions {
  /**
   * The table, which the store creates if it does not exist.
   *
   * @default 'sluice'
   */
  readonly table?: string | undefined
}

const readers = {
  ...databaseOptionReaders,
  table: optional(checked('a name of 1 to 50 characters', isName), 'sluice'),
}

/**
 * Stores the counts in a file of SQLite, which the processes of one machine share. Pass a database of `node:sqlite` (Node.js 22.13 or later) or of
 * better-sqlite3, of a file for Sluice alone: the store changes settings of the connection, and switches the file to WAL. The file must not be on a network
 * drive. After a power failure, the last counts can be lost.
 *
 * @example
 * import { DatabaseSync } from 'node:sqlite'
 * import { sqliteStore } from '@sluice/sqlite'
 *
 * const store = sqliteStore(new DatabaseSync('limits.db'))
 * @throws SluiceError if the database is not supported or the file cannot be written, or an option is unknown or out of range
 */
export function sqliteStore(database: SqliteClient, options: SqliteStoreOptions = {}): AsyncStore {
  if (!isSqliteClient(database)) throw new SluiceError('SLUICE_DATABASE_INVALID', clientAdvice)
  const { table, ...shared } = readOptions('sqliteStore', options, readers)
  return databaseStore(opened(database, table), shared)
}

const clientAdvice =
  'sqliteStore: pass a database of node:sqlite, new DatabaseSync(file), or of better-sqlite3, new Database(file).'

/** While other processes start or end, they lock the file for longer than a save waits. */
const openingMs = 5000

function opened(client: SqliteClient, table: string): Database {
  try {
    client.exec(`pragma busy_timeout = ${openingMs}`)
    // Other drivers have methods of these names that return promises, or take callbacks.
    const statement: Partial<SqliteStatement> = client.prepare('select 1')
    if (columnsOf(statement.get?.())?.length === 1) return sqliteDatabase(client, table)
  } catch (error) {
    throw failure(error)
  }
  throw new SluiceError('SLUICE_DATABASE_INVALID', clientAdvice)
}

function failure(cause: unknown): SluiceError {
  const reason = cause instanceof Error ? cause.message : String(cause)
  const message = `sqliteStore: the database cannot be used: ${reason}.`
  return new SluiceError('SLUICE_STORE_FAILED', message, { cause })
}

function isName(value: unknown): value is string {
  return typeof value === 'string' && /^[^\0]{1,50}$/.test(value)
}
