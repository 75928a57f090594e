import { sluiceError } from '../../errors.js'
import { rowKeys } from '../../keys.js'
import {
  checked,
  optional,
  readOptions,
  storeTimeout,
  type Duration,
  type OptionReader,
} from '../../options/readers.js'
import { hasMethod, isCount, isText } from '../../options/predicates.js'
import {
  contractVersion,
  storeContract,
  type AsyncStore,
  type LimiterPolicy,
  type StoreRequest,
} from '../store.js'
import { createPings } from '../pipeline/pings.js'
import { createPipeline, type Transport } from '../pipeline/pipeline.js'
import { createAttempts, mostRows } from './attempts.js'
import type { Database } from './database.js'

/** Options of `databaseStore`. */
export interface DatabaseStoreOptions {
  /**
   * The prefix of every key. The limiter's name and the number of the layout follow it: `sluice:api:1…`.
   *
   * @default 'sluice'
   */
  readonly prefix?: string | undefined
  /**
   * The longest time that a decision waits for the database. After it, `onStoreError` decides, and a call that reaches the database later takes no units. At most 24 days.
   *
   * @default 250
   */
  readonly timeout?: Duration | undefined
  /**
   * The number of rows that this process remembers, up to 4 MB. A key whose row is remembered, and a new key, are decided in one round trip instead of two.
   * 0: every row is loaded before it is saved.
   *
   * @default 10_000
   */
  readonly rememberedRows?: number | undefined
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
  if (!['load', 'save'].every((name) => hasMethod(database, name))) {
    throw sluiceError('SLUICE_DATABASE_INVALID', 'databaseStore', database)
  }
  const readers = databaseOptionReaders
  const { prefix, timeout, rememberedRows } = readOptions('databaseStore', options, readers)
  return {
    ...createPipeline(
      { name: database.name, timeoutMs: timeout, isRequestBound: false },
      databaseTransport(database, prefix, rememberedRows),
    ),
    [storeContract]: { version: contractVersion, largestLimits },
  }
}

/** Decides requests by the rows of a database, and saves those rows. */
function databaseTransport(
  database: Database,
  prefix: string,
  rememberedRows: number,
): Transport<Database> {
  async function isThere(): Promise<boolean> {
    try {
      await database.load([])
      return true
    } catch {
      return false
    }
  }

  return {
    isInProcess: true,
    batching: {
      targetOf: () => database,
      keysOf: createKeys(prefix),
      weightOf: (_, newKeys) => newKeys,
      mostRequests: 256,
      mostWeight: mostRows,
      share: 1 / 4,
      fewestRequests: 16,
      // So that the store never needs more connections of a pool. One call at a time is about a row, so that a process does not conflict with itself.
      mostBatches: 4,
    },
    connect: (receiver) => createAttempts(database, rememberedRows, receiver),
    ping: createPings(1, isThere),
    close: async () => database.close?.(),
  }
}

/** Makes the function that names the rows of a request. */
function createKeys(prefix: string): (request: StoreRequest) => readonly string[] {
  const namers = new WeakMap<readonly LimiterPolicy[], (key: string) => string>()
  return function keysOf({ policies, keys }) {
    const nameOf = namers.get(policies) ?? rowKeys(prefix, policies[0].limiter)
    namers.set(policies, nameOf)
    const first = nameOf(keys[0])
    // Most requests have one key for all policies.
    return keys.map((key) => (key === keys[0] ? first : nameOf(key)))
  }
}
