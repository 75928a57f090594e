import { usePostgres } from '@sluice/conformance/postgres'
import type { Database } from '@sluice/core/database'
import { describeDatabase } from '@sluice/testing'
import pg from 'pg'
import postgres from 'postgres'
import { afterAll, beforeAll, describe, it } from 'vitest'
import { postgresDatabase, type PostgresDatabaseSettings } from '../src/database.js'
import { postgresSchema } from '../src/index.js'

const server = usePostgres()
/** The instances take turns. */
let next = 0
const usual = { schema: 'public', table: 'sluice', logged: false, prepare: true, migrate: false }

describe('pg', () => {
  const pools: pg.Pool[] = []
  const opened: Database[] = []
  beforeAll(async () => {
    for (let i = 0; i < 2; i++) pools.push(new pg.Pool({ connectionString: server.url, max: 4 }))
    await pools[0].query(postgresSchema())
    for (const pool of pools) opened.push(postgresDatabase(pool, usual))
  })
  afterAll(() => Promise.all(pools.map((pool) => pool.end())))

  describeDatabase('a pool', () => opened[next++ % 2], {
    describe,
    it,
    async damage(key) {
      await pools[0].query(`update sluice set state = '' where key = $1`, [key])
    },
  })
})

describe('postgres.js', () => {
  const settings: PostgresDatabaseSettings = { ...usual, table: `it's "quoted"`, migrate: true }
  const opened: Database[] = []
  let sql: postgres.Sql
  beforeAll(() => {
    sql = postgres(server.url, { max: 4, onnotice() {} })
    for (let i = 0; i < 2; i++) opened.push(postgresDatabase(sql, settings))
  })
  afterAll(() => sql.end())

  describeDatabase('a table that the first call creates', () => opened[next++ % 2], {
    describe,
    it,
  })
})
