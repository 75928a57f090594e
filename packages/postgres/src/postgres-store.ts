import { SluiceError, type AsyncStore } from '@sluice/core'
import {
  databaseOptionReaders,
  databaseStore,
  type DatabaseStoreOptions,
} from '@sluice/core/database'
import { checked, optional, readOptions } from '@sluice/core/internal'
import { isPostgresClient, type PostgresClient } from './client.js'
import { postgresDatabase } from './database.js'
import { isBoolean, schemaReaders, type PostgresSchemaOptions } from './schema.js'

/** Options of `postgresStore`. */
export interface PostgresStoreOptions extends DatabaseStoreOptions, PostgresSchemaOptions {
  /**
   * Whether the server prepares each statement once for each connection. The store stops by itself behind a pooler that does not support it.
   *
   * @default true
   */
  readonly prepare?: boolean | undefined
  /**
   * Whether the first call creates the table and its functions if they do not exist. The role then needs the right to create them.
   *
   * @default false
   */
  readonly migrate?: boolean | undefined
}

const readers = {
  ...databaseOptionReaders,
  ...schemaReaders,
  prepare: optional(checked('true or false', isBoolean), true),
  migrate: optional(checked('true or false', isBoolean), false),
}

/**
 * Stores the counts in PostgreSQL 14 or later, for any number of processes, by the clock of the server. Pass your own pool of `pg`, or a `postgres.js` function:
 * Sluice never opens or closes a connection, and each call is one statement. The table has to exist: see `postgresSchema` and `migrate`.
 *
 * @example
 * import { postgresStore } from '@sluice/postgres'
 * import pg from 'pg'
 *
 * const pool = new pg.Pool({ connectionString: 'postgres://localhost/app' })
 * const store = postgresStore(pool, { migrate: true })
 * @throws SluiceError if the client is not supported, or an option is unknown or out of range
 */
export function postgresStore(
  client: PostgresClient,
  options: PostgresStoreOptions = {},
): AsyncStore {
  if (!isPostgresClient(client)) throw new SluiceError('SLUICE_DATABASE_INVALID', clientAdvice)
  const settings = readOptions('postgresStore', options, readers)
  const { prefix, timeout, rememberedRows, ...own } = settings
  return databaseStore(postgresDatabase(client, own), { prefix, timeout, rememberedRows })
}

const clientAdvice =
  'postgresStore: pass a pool of pg, new pg.Pool({ connectionString }), or the function of postgres.js, postgres(url). Sluice opens no connection itself.'
