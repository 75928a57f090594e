import { postgresStore, type PgClient } from '@sluice/postgres'
import pg from 'pg'
import { RateLimiterPostgres } from 'rate-limiter-flexible'
import { consuming, limit, timeout } from '../deciding.js'
import {
  flexible,
  flexibleOptions,
  slidingOver,
  sluice,
  upsert,
  type Contender,
} from './contender.js'

/** With unlogged tables, because logged ones measure the disk. All of them have a pool of ten connections. */
export const postgresContenders: readonly Contender[] = [
  {
    name: upsert,
    async open(url) {
      const pool = await poolAt(url, upsert, 'upsert (key text primary key, count bigint not null)')
      return async (key) => {
        const { rows } = await pool.query<[string]>({
          name: 'upsert',
          text: 'insert into upsert values ($1, 1) on conflict (key) do update set count = upsert.count + 1 returning count',
          values: [key],
          rowMode: 'array',
        })
        return Number(rows[0][0]) <= limit
      }
    },
  },
  {
    name: sluice,
    async open(url) {
      const pool = await poolAt(url, sluice)
      return slidingOver(postgresStore(pool, { timeout, migrate: true }))
    },
  },
  {
    name: flexible,
    async open(url) {
      // The columns of the table that it creates itself.
      const columns =
        'key varchar(255) primary key, points integer not null default 0, expire bigint'
      const storeClient = await poolAt(url, flexible, `flexible (${columns})`)
      const options = { ...flexibleOptions, storeClient, tableName: 'flexible' }
      return consuming(new RateLimiterPostgres(options))
    },
  },
]

/** The name of the connections of a contender. The server replaces other characters. */
export function connectionName(contender: string): string {
  return contender.replaceAll(/[^\w ]/g, '')
}

/** Connects, and creates a table. The server knows the connections by the name of the contender. */
export async function poolAt(
  connectionString: string,
  name: string,
  table?: string,
): Promise<pg.Pool> {
  const pool = new pg.Pool({
    connectionString,
    application_name: connectionName(name),
    max: 10,
    idleTimeoutMillis: 0,
  })
  if (table !== undefined) await pool.query(`create unlogged table if not exists ${table}`)
  return pool
}

/** The groups that a store has saved through a client, and those that were refused because a row had changed. */
export interface Groups {
  saved: number
  refused: number
}

/** A client over a pool that counts the groups. */
export function countingClient(pool: PgClient): PgClient & { readonly groups: Groups } {
  const groups: Groups = { saved: 0, refused: 0 }
  return {
    groups,
    async query(query) {
      const result = await pool.query(query)
      const { rows } = result
      if (/^(?:update|insert)/.test(query.text)) groups[rows.length > 0 ? 'saved' : 'refused']++
      else if (query.text.startsWith('select saved')) {
        for (const row of rows)
          groups[Array.isArray(row) && row[0] === true ? 'saved' : 'refused']++
      }
      return result
    },
  }
}
