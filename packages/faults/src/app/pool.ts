import { setTimeout as delay } from 'node:timers/promises'
import { postgresStore } from '@sluice/postgres'
import pg from 'pg'
import type { OwnedClient } from './owned-client.js'

const retryMs = 100

/** A pool of `pg` with the settings that the page about PostgreSQL recommends. */
export function ofPool(host: string, port: number): OwnedClient {
  const pool = new pg.Pool({
    host,
    port,
    user: 'postgres',
    database: 'postgres',
    connectionTimeoutMillis: 1000,
    query_timeout: 5000,
  })
  pool.on('error', () => {})
  return {
    store: (timeout) => postgresStore(pool, { timeout }),
    async connect() {
      for (;;) {
        try {
          await pool.query('select')
          return
        } catch {
          await delay(retryMs)
        }
      }
    },
    close: () => pool.end(),
    async takeAll() {
      const taken = Array.from({ length: pool.options.max }, () => pool.connect())
      const clients = await Promise.all(taken)
      return () => {
        for (const client of clients) client.release()
      }
    },
  }
}
