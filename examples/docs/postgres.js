// Both clients, on tables of their own. It takes a PostgreSQL (DATABASE_URL), and does nothing without one.
import assert from 'node:assert/strict'
import { createLimiter } from '@sluice/core'
// #region migration
import { postgresSchema } from '@sluice/postgres'
// #endregion
// #region pg
// #region postgres.js
import { postgresStore } from '@sluice/postgres'
// #endregion
// #endregion
// #region pg
// #region migration
import pg from 'pg'
// #endregion
// #endregion
// #region postgres.js
import postgres from 'postgres'
// #endregion

// #region pg
// #region postgres.js
// #region migration
const url = process.env.DATABASE_URL ?? 'postgres://localhost/app'
// #endregion
// #endregion
// #endregion

if (process.env.DATABASE_URL === undefined) process.exit()

async function counts(store) {
  const limiter = createLimiter({ name: 'api', limit: 100, window: '1m', store })
  const first = await limiter.consume('user:42')
  const { remaining } = await limiter.consume('user:42')
  assert.deepEqual([first.source, first.remaining, remaining], ['store', 99, 98])
}

async function withMigration() {
  // #region migration

  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(postgresSchema())
  await client.end()
  // #endregion
}

async function withPg() {
  // #region pg
  const pool = new pg.Pool({
    connectionString: url,
    connectionTimeoutMillis: 1000,
    query_timeout: 5000,
  })
  pool.on('error', (error) => console.error(`PostgreSQL: ${error.message}`))

  const store = postgresStore(pool, { migrate: true })
  // #endregion
  await counts(postgresStore(pool, { migrate: true, timeout: '10s', prefix: `pg${process.pid}` }))
  await pool.end()
  return store
}

async function withPostgresJs() {
  // #region postgres.js
  const sql = postgres(url, {
    connect_timeout: 1,
    fetch_types: false, // a query of a new connection: if it fails, nothing can catch the error
    onnotice: () => {}, // the notices that a table exists already
  })

  const store = postgresStore(sql, { migrate: true })
  // #endregion
  await counts(postgresStore(sql, { timeout: '10s', prefix: `js${process.pid}` }))
  await sql.end()
  return store
}

for (const use of [withMigration, withPg, withPostgresJs]) await use()
