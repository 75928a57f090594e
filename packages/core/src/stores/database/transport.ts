import { rowKeys } from '../../keys.js'
import { createPings } from '../pipeline/pings.js'
import type { Transport } from '../pipeline/pipeline.js'
import type { LimiterPolicy, StoreRequest } from '../store.js'
import { createAttempts, mostRows } from './attempts.js'
import type { Database } from './database.js'

export interface TransportSettings {
  readonly prefix: string
  readonly rememberedRows: number
}

/** Decides requests by the rows of a database, and saves those rows. */
export function databaseTransport(
  database: Database,
  { prefix, rememberedRows }: TransportSettings,
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
