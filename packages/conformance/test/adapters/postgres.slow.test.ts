import { randomUUID } from 'node:crypto'
import { describeAdapterOver, express } from '@sluice/conformance/adapters'
import { usePostgres } from '@sluice/test-kit/postgres'
import { postgresStore } from '@sluice/postgres'
import pg from 'pg'
import { afterAll, beforeAll, describe } from 'vitest'

const [adapter] = express

describe(`${adapter.name} on a real PostgreSQL`, () => {
  const server = usePostgres()
  let pool: pg.Pool
  beforeAll(() => {
    pool = new pg.Pool({ connectionString: server.url })
  })
  afterAll(() => pool.end())

  describeAdapterOver(adapter, () =>
    postgresStore(pool, { migrate: true, timeout: '10s', prefix: randomUUID() }),
  )
})
