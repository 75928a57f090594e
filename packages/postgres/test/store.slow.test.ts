import { describeStore } from '@sluice/conformance'
import { usePostgres } from '@sluice/conformance/postgres'
import { unlimitedStore } from '@sluice/conformance/databases'
import pg from 'pg'
import { afterAll, beforeAll, describe } from 'vitest'
import { postgresDatabase } from '../src/database.js'

const usual = { schema: 'public', table: 'sluice', logged: false, prepare: true, migrate: true }

describe('on a real PostgreSQL', () => {
  const server = usePostgres()
  let pool: pg.Pool
  beforeAll(() => {
    pool = new pg.Pool({ connectionString: server.url, max: 4 })
  })
  afterAll(() => pool.end())

  describeStore('postgresStore', () =>
    unlimitedStore(postgresDatabase(pool, usual), { timeout: '10s' }),
  )
})
