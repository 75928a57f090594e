import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { createLimiter, fixedWindow, type AsyncStore, type StoreErrorEvent } from '@sluice/core'
import { usePostgres } from '@sluice/test-kit/postgres'
import pg from 'pg'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { postgresSchema, postgresStore } from '../src/index.js'

const server = usePostgres()
let admin: pg.Pool
beforeAll(() => {
  admin = new pg.Pool({ connectionString: server.url, max: 2 })
  // The server of the file is stopped first.
  admin.on('error', () => {})
  return () => admin.end()
})

const policies = fixedWindow({ limit: 100, window: '1h' })

function limiterOver(store: AsyncStore) {
  return createLimiter({ name: 'api', policies, store })
}

/** A pool of a new role, until the test ends. */
async function poolOf(role: string): Promise<pg.Pool> {
  await admin.query(`create role ${role} login`)
  const pool = new pg.Pool({
    connectionString: server.url.replace('postgres@', `${role}@`),
    max: 2,
  })
  onTestFinished(() => pool.end())
  return pool
}

/** A schema with the table, and one unit of the key taken. */
async function schemaWithTable(schema: string): Promise<void> {
  await admin.query(`create schema ${schema}`)
  await admin.query(postgresSchema({ schema }))
  await limiterOver(postgresStore(admin, { schema, timeout: '10s' })).consume('key')
}

/** The messages of all errors that stores report while this runs. */
async function errorsOf(run: () => Promise<unknown>): Promise<readonly string[]> {
  const messages = new Set<string>()
  const note = (event: unknown): void => {
    messages.add((event as StoreErrorEvent).error.message)
  }
  subscribe('sluice:store:error', note)
  try {
    await run()
  } finally {
    unsubscribe('sluice:store:error', note)
  }
  return [...messages]
}

describe('a missing', () => {
  test('table is an error, and once a warning, that says what to run', async () => {
    const warnings: Error[] = []
    const note = (warning: Error): number => warnings.push(warning)
    process.on('warning', note)
    onTestFinished(() => void process.off('warning', note))
    const limiter = limiterOver(postgresStore(admin, { table: 'missing', timeout: '10s' }))
    const errors = await errorsOf(async () => {
      for (let i = 0; i < 2; i++) await limiter.consume('key')
    })
    const message = expect.stringMatching(
      /"public"\."missing".*run the SQL of postgresSchema\(\), or pass "migrate: true"/,
    )
    expect(errors).toEqual([message])
    await new Promise((resolve) => setImmediate(resolve))
    expect(warnings).toEqual([expect.objectContaining({ code: 'SLUICE_STORE_REFUSED', message })])
  })

  test('schema is an error that says what to create', async () => {
    const store = postgresStore(admin, { schema: 'nowhere', migrate: true, timeout: '10s' })
    const errors = await errorsOf(() => limiterOver(store).consume('key'))
    expect(errors).toEqual([expect.stringContaining('Create the schema')])
  })

  test('table does not keep a process from using the store once it is there', async () => {
    const schema = 'later'
    await admin.query(`create schema ${schema}`)
    const limiter = limiterOver(postgresStore(admin, { schema, timeout: '10s' }))
    for (let i = 0; i < 5; i++) expect((await limiter.consume('key')).source).toBe('fallback')
    await admin.query(postgresSchema({ schema }))
    await expect.poll(async () => (await limiter.consume('key')).source).toBe('store')
  })
})

describe('a role', () => {
  test('without rights receives an error that says what to grant, and works with these rights', async () => {
    const schema = 'rights'
    await schemaWithTable(schema)
    const pool = await poolOf('stranger')
    const limiter = limiterOver(postgresStore(pool, { schema, timeout: '10s' }))
    const errors = await errorsOf(async () => {
      for (const key of ['a', 'b', 'c', 'd', 'e']) await limiter.consume(key)
    })
    expect(errors).toContainEqual(
      expect.stringMatching(
        /usage on the schema; select, insert, update and delete on "rights"\."sluice"; and execute/,
      ),
    )
    await admin.query(`grant usage on schema ${schema} to stranger`)
    await admin.query(`grant select, insert, update, delete on ${schema}.sluice to stranger`)
    await expect.poll(async () => (await limiter.consume('key')).source).toBe('store')
    for (let i = 0; i < 300; i++) await limiter.consume(['key', i % 7])
    expect(await limiter.peek('key')).toMatchObject({ source: 'store' })
  })

  test('that may not create the table receives an error that says so', async () => {
    const schema = 'forbidden'
    await admin.query(`create schema ${schema}`)
    const pool = await poolOf('visitor')
    await admin.query(`grant usage on schema ${schema} to visitor`)
    const store = postgresStore(pool, { schema, migrate: true, timeout: '10s' })
    const errors = await errorsOf(() => limiterOver(store).consume('key'))
    expect(errors).toEqual([expect.stringContaining('also needs create on the schema')])
  })

  test('that may only read still reads, and each of its requests is decided by the fallback', async () => {
    const schema = 'read_only'
    await schemaWithTable(schema)
    await admin.query(`create role reader login; grant usage on schema ${schema} to reader`)
    await admin.query(`grant select, insert, update, delete on ${schema}.sluice to reader`)
    await admin.query('alter role reader set default_transaction_read_only = on')
    const pool = new pg.Pool({ connectionString: server.url.replace('postgres@', 'reader@') })
    onTestFinished(() => pool.end())
    const limiter = limiterOver(postgresStore(pool, { schema, timeout: '10s' }))
    const errors = await errorsOf(async () => {
      for (let i = 0; i < 20; i++) {
        expect((await limiter.consume(['key', i])).source).toBe('fallback')
        expect(await limiter.peek('key')).toMatchObject({ remaining: 99, source: 'store' })
      }
    })
    expect(errors).toEqual([expect.stringContaining('Connect to the primary')])
    await pool.query('set default_transaction_read_only = off')
    expect(await limiter.consume('key')).toMatchObject({ remaining: 98, source: 'store' })
  })
})
