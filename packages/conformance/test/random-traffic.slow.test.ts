import { unlimitedStore } from '@sluice/conformance/databases'
import { usePostgres } from '@sluice/test-kit/postgres'
import { sqliteDrivers, temporaryFile } from '@sluice/test-kit/sqlite'
import type { AsyncStore } from '@sluice/core'
import { postgresStore } from '@sluice/postgres'
import { sqliteStore } from '@sluice/sqlite'
import pg from 'pg'
import { afterAll, beforeAll, describe } from 'vitest'
import { describeCosts } from './costs-suite.js'
import { describeRandomTraffic } from './random-traffic.js'

describe('PostgreSQL', () => {
  const server = usePostgres()
  let pool: pg.Pool
  let stores: readonly AsyncStore[]
  beforeAll(() => {
    pool = new pg.Pool({ connectionString: server.url, max: 4 })
    stores = [{}, { rememberedRows: 0 }].map((options) =>
      unlimitedStore(postgresStore(pool, { ...options, migrate: true, timeout: '20s' })),
    )
  })
  afterAll(() => pool.end())

  describeRandomTraffic('postgresStore', () => stores[0], 30)
  describeRandomTraffic('postgresStore, which loads each row first', () => stores[1], 20)
  describeCosts('postgresStore', () => stores[0])
})

describe.each(sqliteDrivers())('SQLite, $name', ({ open }) => {
  const { file, remove } = temporaryFile()
  const connection = open(file)
  const stores = [{}, { rememberedRows: 0 }].map((options) =>
    unlimitedStore(sqliteStore(connection, { ...options, timeout: '20s' })),
  )
  afterAll(() => {
    connection.close()
    remove()
  })

  describeRandomTraffic('sqliteStore', () => stores[0], 50)
  describeRandomTraffic('sqliteStore, which loads each row first', () => stores[1], 30)
  describeCosts('sqliteStore', () => stores[0])
})
