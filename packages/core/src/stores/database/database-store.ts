import { sluiceError } from '../../errors.js'
import {
  checked,
  optional,
  readOptions,
  storeTimeout,
  type Duration,
  type OptionReader,
} from '../../options/readers.js'
import { isCount, isText } from '../../options/predicates.js'
import { contractVersion, storeContract, type AsyncStore } from '../store.js'
import { createPipeline } from '../pipeline/pipeline.js'
import type { Database } from './database.js'
import { databaseTransport } from './transport.js'

/** Options of `databaseStore`. */
export interface DatabaseStoreOptions {
  /**
   * The prefix of every key. The number of the layout and the limiter's name follow it: `sluice1:api:…`.
   *
   * @default 'sluice'
   */
  readonly prefix?: string
  /**
   * The longest time that a decision waits for the database. After it, `onStoreError` decides, and a call that reaches the database later takes no units. At most 24 days.
   *
   * @default 250
   */
  readonly timeout?: Duration
  /**
   * The number of rows that this process remembers, up to 4 MB. A key whose row is remembered, and a new key, are decided in one round trip instead of two.
   * 0: every row is loaded before it is saved.
   *
   * @default 10_000
   */
  readonly rememberedRows?: number
}

/** With these limits, the records of a key fit into a row of 64 KiB. */
const largestLimits = { slidingLog: 8000, concurrency: 1000 }

/** The readers of the options of `databaseStore`, for `readOptions` of a store over a database of its own. */
export const databaseOptionReaders: Readonly<
  Record<'prefix', OptionReader<string>> &
    Record<'timeout' | 'rememberedRows', OptionReader<number>>
> = {
  prefix: optional(checked('a non-empty string', isText), 'sluice'),
  timeout: optional(storeTimeout, 250),
  rememberedRows: optional(checked('a whole number, 0 or more', isCount), 10_000),
}

/**
 * Stores the counts in any database that can load rows and save them if they are unchanged, for any number of processes. The process decides, by the clock of the
 * database, and saves a row only if no other process has changed it since. While the database is unavailable, no request waits for it: see `onStoreError` of
 * `createLimiter`.
 *
 * @example
 * import { databaseStore } from '@sluice/core/database'
 *
 * const store = databaseStore(myDatabase(client))
 * @throws SluiceError if the value is not a database, or an option is unknown or out of range
 */
export function databaseStore(database: Database, options: DatabaseStoreOptions = {}): AsyncStore {
  if (!isDatabase(database)) throw sluiceError('SLUICE_DATABASE_INVALID', 'databaseStore', database)
  const settings = readOptions('databaseStore', options, databaseOptionReaders)
  return {
    ...createPipeline(
      { name: database.name, timeoutMs: settings.timeout, isRequestBound: false },
      databaseTransport(database, settings),
    ),
    [storeContract]: { version: contractVersion, largestLimits },
  }
}

function isDatabase(value: unknown): value is Database {
  if (typeof value !== 'object' || value === null) return false
  return ['load', 'save'].every((name) => typeof Reflect.get(value, name) === 'function')
}
