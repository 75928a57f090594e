import { redisStore, type AsyncStore } from '@sluice/core'
import { sqliteDrivers } from '@sluice/test-kit/sqlite'
import { postgresStore } from '@sluice/postgres'
import { sqliteStore } from '@sluice/sqlite'
import { Cluster, Redis } from 'ioredis'
import pg from 'pg'

/** The server that all processes of a run share. */
export type Shared =
  | { readonly kind: 'Redis' | 'Cluster'; readonly ports: readonly number[] }
  | { readonly kind: 'PostgreSQL'; readonly url: string }
  | { readonly kind: 'SQLite'; readonly file: string }

interface Connected {
  readonly store: AsyncStore
  disconnect(): Promise<unknown>
}

/**
 * Connects a process to the server.
 *
 * @param timeout as many milliseconds as a decision may take, by default on a busy machine
 */
export function connect(shared: Shared, timeout = 60_000): Connected {
  if (shared.kind === 'PostgreSQL') {
    const pool = new pg.Pool({ connectionString: shared.url, max: 5 })
    return {
      store: postgresStore(pool, { migrate: true, timeout }),
      disconnect: () => pool.end(),
    }
  }
  if (shared.kind === 'SQLite') {
    const connection = sqliteDrivers()[0].open(shared.file)
    return {
      store: sqliteStore(connection, { timeout }),
      disconnect: async () => connection.close(),
    }
  }
  const nodes = shared.ports.map((port) => ({ host: '127.0.0.1', port }))
  const client = shared.kind === 'Cluster' ? new Cluster(nodes) : new Redis(nodes[0])
  return {
    store: redisStore(client, { timeout }),
    disconnect: async () => client.disconnect(),
  }
}
