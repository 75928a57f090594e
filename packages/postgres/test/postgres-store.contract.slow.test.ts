import { describeStore } from '@sluice/conformance'
import { usePostgres } from '@sluice/test-kit/postgres'
import { unlimitedStore } from '@sluice/conformance/databases'
import pg from 'pg'
import { afterAll, beforeAll, describe } from 'vitest'
import { postgresStore } from '../src/index.js'

describe('on a real PostgreSQL', () => {
  const server = usePostgres()
  let pool: pg.Pool
  beforeAll(() => {
    pool = new pg.Pool({ connectionString: server.url, max: 4 })
  })
  afterAll(() => pool.end())

  const open = () => unlimitedStore(postgresStore(pool, { migrate: true, timeout: '10s' }))
  describeStore('postgresStore', open, 0.2)
})
