import { setTimeout as delay } from 'node:timers/promises'
import { createLimiter, fixedWindow, slidingWindow, type AsyncStore } from '@sluice/core'
import { usePostgres } from '@sluice/test-kit/postgres'
import pg from 'pg'
import postgres from 'postgres'
import { describe, expect, onTestFinished, test } from 'vitest'
import { postgresDatabase } from '../src/database.js'
import { postgresSchema, postgresStore } from '../src/index.js'

const server = usePostgres()

/** A pool, until the test ends. */
function poolOf(settings: pg.PoolConfig = {}): pg.Pool {
  const pool = new pg.Pool({ connectionString: server.url, max: 4, ...settings })
  pool.on('error', () => {})
  onTestFinished(() => pool.end())
  return pool
}

/** A pool, and a schema of this name. */
async function poolIn(schema: string): Promise<pg.Pool> {
  const pool = poolOf()
  await pool.query(`create schema "${schema}"`)
  return pool
}

function limiterOver(store: AsyncStore) {
  return createLimiter({
    name: 'api',
    policies: fixedWindow({ limit: 1000, window: '1h' }),
    store,
  })
}

const usual = { table: 'sluice', logged: false, prepare: true, migrate: true }
const patient = { timeout: '20s' } as const

describe('the table', () => {
  test('is created once by sixteen processes that start at the same time', async () => {
    const schema = 'sixteen'
    await poolIn(schema)
    const starts = Array.from({ length: 16 }, () => {
      const store = postgresStore(poolOf({ max: 1 }), { schema, migrate: true, ...patient })
      return limiterOver(store).consume('key')
    })
    const decisions = await Promise.all(starts)
    expect(new Set(decisions.map(({ source }) => source))).toEqual(new Set(['store']))
    expect(Math.min(...decisions.map(({ remaining }) => remaining))).toBe(984)
  })

  test('is created again if it was dropped', async () => {
    const schema = 'dropped'
    const pool = await poolIn(schema)
    const limiter = limiterOver(postgresStore(pool, { schema, migrate: true, ...patient }))
    expect((await limiter.consume('key')).remaining).toBe(999)
    await pool.query(`drop schema ${schema} cascade; create schema ${schema}`)
    expect(await limiter.consume('key')).toMatchObject({ remaining: 999, source: 'store' })
  })

  test('is one for each schema, also on a pool that two stores share', async () => {
    const pool = await poolIn('tenant one')
    await pool.query('create schema "tenant ""two"""')
    const stores = ['tenant one', 'tenant "two"'].map((schema) =>
      postgresStore(pool, { schema, migrate: true, ...patient }),
    )
    for (const limiter of stores.map(limiterOver)) {
      for (const remaining of [999, 998]) {
        expect(await limiter.consume('key')).toMatchObject({ remaining, source: 'store' })
      }
    }
  })

  test('is unlogged, unless it is wanted otherwise', async () => {
    const schema = 'logged'
    const pool = await poolIn(schema)
    await pool.query(postgresSchema({ schema, table: 'kept', logged: true }))
    await pool.query(postgresSchema({ schema, table: 'lost' }))
    const { rows } = await pool.query(
      `select relname, relpersistence from pg_class where relkind = 'r' and relnamespace = 'logged'::regnamespace order by 1`,
    )
    expect(rows).toEqual([
      { relname: 'kept', relpersistence: 'p' },
      { relname: 'lost', relpersistence: 'u' },
    ])
  })

  test('is not one of an encoding that lacks characters of a key', async () => {
    const pool = poolOf()
    await pool.query(`create database latin encoding 'LATIN1' template template0`)
    const latin = poolOf({ connectionString: server.url.replace(/postgres$/, 'latin') })
    await expect(latin.query(postgresSchema())).rejects.toThrow('encoding UTF8')
  })
})

describe('a save', () => {
  test.each([1, 2])('of %i rows saves nothing if a lock has made it late', async (count) => {
    const schema = `late ${count}`
    const pool = await poolIn(schema)
    const database = postgresDatabase(pool, { ...usual, schema })
    const keys = ['a', 'b'].slice(0, count)
    const [old, late] = [Uint8Array.of(1), Uint8Array.of(2)]
    const changes = (bytes: Uint8Array, versions: readonly unknown[]) =>
      keys.map((key, i) => [{ key, version: versions[i], bytes, endsAt: 4e12 }])
    const first = await database.save(changes(old, []), { from: 0, until: 4e12 })

    const holder = await pool.connect()
    await holder.query(`begin; select from "${schema}".sluice for update`)
    const { now } = await database.load([])
    const span = { from: now, until: now + 100 }
    const saving = database.save(changes(late, first.groups.flat()), span)
    await delay(300)
    await holder.query('rollback')
    holder.release()

    expect((await saving).groups).toEqual(keys.map(() => undefined))
    const { rows } = await database.load(keys)
    expect(rows.map((row) => Uint8Array.from(row?.bytes ?? []))).toEqual(keys.map(() => old))
  })

  test('of several processes is exact if transactions are REPEATABLE READ or SERIALIZABLE', async () => {
    const schema = 'isolated'
    await poolIn(schema)
    for (const isolation of ['repeatable read', 'serializable']) {
      const limiters = Array.from({ length: 4 }, () => {
        const options = `-c default_transaction_isolation=${isolation.replace(' ', '\\ ')}`
        return createLimiter({
          name: isolation,
          policies: {
            own: slidingWindow({ limit: 60, window: '1h' }),
            all: fixedWindow({ limit: 100, window: '1h' }),
          },
          store: postgresStore(poolOf({ options }), { schema, migrate: true, ...patient }),
        })
      })
      const calls = Array.from({ length: 160 }, (_, i) =>
        limiters[i % 4].consume({ own: `client ${i % 2}`, all: 'all' }),
      )
      const decisions = await Promise.all(calls)
      expect(decisions.map(({ source }) => source)).not.toContain('fallback')
      expect(decisions.filter(({ allowed }) => allowed)).toHaveLength(100)
    }
  })
})

describe('prepared statements', () => {
  test('that a connection loses are sent again without a name, with one warning', async () => {
    const schema = 'lost'
    const pool = await poolIn(schema)
    const limiter = limiterOver(postgresStore(pool, { schema, migrate: true, ...patient }))
    const warnings: Error[] = []
    const note = (warning: Error): number => warnings.push(warning)
    process.on('warning', note)
    onTestFinished(() => void process.off('warning', note))

    for (let i = 1; i <= 5; i++) {
      expect(await limiter.consume('key')).toMatchObject({ remaining: 1000 - i, source: 'store' })
      await pool.query('deallocate all')
    }
    await new Promise((resolve) => setImmediate(resolve))
    expect(warnings).toMatchObject([{ name: 'SluiceWarning', code: 'SLUICE_PREPARED_LOST' }])
    const named = await pool.query(`select from pg_prepared_statements where name like 'sluice-%'`)
    expect(named.rows).toEqual([])
  })

  test('that several calls lose at the same time are sent again', async () => {
    const schema = 'lost_together'
    const pool = await poolIn(schema)
    const limiter = limiterOver(postgresStore(pool, { schema, migrate: true, ...patient }))
    const keys = ['a', 'b', 'c', 'd']
    for (let i = 1; i <= 5; i++) {
      const clients = await Promise.all(keys.map(() => pool.connect()))
      for (const client of clients) {
        await client.query('deallocate all')
        client.release()
      }
      const decisions = []
      for (const key of keys) {
        decisions.push(limiter.consume(key))
        // The call is under way, and the next one uses another connection.
        await new Promise((resolve) => setImmediate(resolve))
      }
      const stored = { remaining: 1000 - i, source: 'store' }
      expect(await Promise.all(decisions)).toMatchObject(keys.map(() => stored))
    }
  })

  test('that postgres.js loses and sends again save the same state', async () => {
    const schema = 'lost_by_postgres_js'
    await poolIn(schema)
    const sql = postgres(server.url, { max: 1, onnotice() {} })
    onTestFinished(() => sql.end())
    const settings = { schema, migrate: true, rememberedRows: 0, ...patient }
    const limiter = limiterOver(postgresStore(sql, settings))
    for (let i = 1; i <= 5; i++) {
      expect(await limiter.consume('key')).toMatchObject({ remaining: 1000 - i, source: 'store' })
      // Within a block, where the client does not see the command.
      await sql.unsafe(`do $$ begin execute 'deallocate all'; end $$`)
    }
  })

  test('are not used by postgres.js with "prepare: false"', async () => {
    const schema = 'unprepared'
    await poolIn(schema)
    const sql = postgres(server.url, { max: 1, onnotice() {} })
    onTestFinished(() => sql.end())
    const settings = { schema, migrate: true, prepare: false, ...patient }
    const limiter = limiterOver(postgresStore(sql, settings))
    for (let i = 1; i <= 3; i++) expect((await limiter.consume('key')).remaining).toBe(1000 - i)
    const own = `select from pg_prepared_statements where statement like '%${schema}%'`
    expect(await sql.unsafe(own)).toHaveLength(0)
  })
})

describe('the client', () => {
  test('stays open when the store is closed', async () => {
    const pool = await poolIn('closed')
    const store = postgresStore(pool, { schema: 'closed', migrate: true, ...patient })
    await limiterOver(store).consume('key')
    await store.close()
    expect((await pool.query('select 1 as one')).rows).toEqual([{ one: 1 }])
  })

  test.each([
    ['a URL', 'postgres://localhost'],
    ['nothing', undefined],
    ['an object without query', {}],
  ])('is not %s', (_, client) => {
    expect(() => Reflect.apply(postgresStore, undefined, [client])).toThrow(
      expect.objectContaining({ code: 'SLUICE_DATABASE_INVALID' }),
    )
  })

  test('must return bytes for a state', async () => {
    const schema = 'parsed'
    const pool = await poolIn(schema)
    await limiterOver(postgresStore(pool, { schema, migrate: true, ...patient })).consume('key')
    const types = { getTypeParser: () => String }
    const parsed = postgresStore(poolOf({ types }), { schema, ...patient })
    expect((await limiterOver(parsed).peek('key')).source).toBe('fallback')
  })
})

test.each([
  { schema: '' },
  { table: 'x'.repeat(51) },
  { table: 'a\0b' },
  { table: 'é'.repeat(26) },
  { schema: 'a$sluice$b' },
])('postgresSchema refuses %j', (options) => {
  expect(() => postgresSchema(options)).toThrow('a name of 1 to 50 bytes')
})
