import { rmSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { askedDecisions } from '@sluice/conformance/databases'
import { sqliteDrivers, temporaryFile } from '@sluice/test-kit/sqlite'
import { createLimiter, fixedWindow, type AsyncStore, type Limiter } from '@sluice/core'
import { describe, expect, onTestFinished, test } from 'vitest'
import { sqliteStore, type SqliteClient, type SqliteStoreOptions } from '../src/index.js'

describe.each(sqliteDrivers())('$name', ({ open, openReadOnly }) => {
  /** A connection to a file, by default to a new one. It is closed after the test. */
  function connected(file = newFile(), connect = open) {
    const connection = connect(file)
    onTestFinished(() => void connection.close())
    return { file, connection }
  }

  test('several stores of one file count together', async () => {
    const { file, connection } = connected()
    const [one, other] = [connection, connected(file).connection].map((each) => limiterOf(each))
    expect((await one.consume('key')).remaining).toBe(4)
    expect((await other.consume('key')).remaining).toBe(3)
    expect((await one.consume('key')).remaining).toBe(2)
    await one.reset('key')
    expect((await other.consume('key')).remaining).toBe(4)
  })

  test('two tables, or two prefixes, count apart', async () => {
    const { connection } = connected()
    for (const options of [{}, { table: 'other "table"' }, { prefix: 'other' }]) {
      expect((await limiterOf(connection, options).consume('key')).remaining).toBe(4)
    }
  })

  test('the counts remain when the file is opened again', async () => {
    const { file, connection } = connected()
    await limiterOf(connection).consume('key')
    const store = sqliteStore(connection)
    await store.close()
    expect(connection.prepare('select 1 as one').get()).toMatchObject({ one: 1 })
    const again = limiterOf(connected(file).connection)
    expect((await again.consume('key')).remaining).toBe(3)
  })

  test('a file in memory counts for one connection', async () => {
    const limiter = limiterOf(connected(':memory:').connection)
    await limiter.consume('key')
    expect((await limiter.consume('key')).remaining).toBe(3)
  })

  test('a write lock of another process delays a decision, and fails it after the timeout', async () => {
    const { file, connection } = connected()
    const [limiter, hasty] = ['10s', 200].map((timeout) => limiterOf(connection, { timeout }))
    await limiter.consume('key')
    const { connection: other } = connected(file)
    other.exec('begin immediate')
    expect(await hasty.consume('key')).toMatchObject({ source: 'closed' })
    expect((await limiter.peek('key')).source).toBe('store')
    const delayed = limiter.consume('key')
    await delay(50)
    other.exec('commit')
    expect(await delayed).toMatchObject({ source: 'store', remaining: 3 })
  })

  test('a lock that stays makes three decisions wait, and no other, until it is free', async () => {
    const { file, connection } = connected()
    const store = sqliteStore(connection)
    const limiter = limiterOver(store)
    await limiter.consume('key')
    const { connection: other } = connected(file)
    other.exec('begin immediate')
    await delay(300)
    expect(await askedDecisions(limiter, 'closed')).toBe(3)
    expect(await store.ping()).toBe(false)
    other.exec('rollback')
    await expect.poll(async () => (await limiter.consume('key')).source).toBe('store')
    await expect.poll(async () => store.ping()).toBe(true)
  })

  test('a file that another process has for itself fails decisions, and then is used again', async () => {
    const { file, connection } = connected()
    await limiterOf(connection, { timeout: '10s' }).consume('key')
    const limiter = limiterOf(connection, { timeout: 100 })
    // In this mode, a transaction can lock readers too.
    connection.exec('pragma journal_mode = delete')
    const { connection: other } = connected(file)
    other.exec('begin exclusive')
    expect((await limiter.consume('key')).source).toBe('closed')
    expect((await limiter.peek('key')).source).toBe('closed')
    other.exec('commit')
    await expect.poll(async () => (await limiter.consume('key')).source).toBe('store')
  })

  test('a lock does not stop the event loop until it is free', async () => {
    const { file, connection } = connected()
    const limiter = limiterOf(connection, { timeout: 300 })
    await limiter.consume('key')
    connected(file).connection.exec('begin immediate')
    // The driver waits for so long in each attempt, and nothing else runs meanwhile. Its default is 5 s.
    expect(connection.prepare('pragma busy_timeout').get()).toEqual({ timeout: 5 })
    const decisions = Array.from({ length: 20 }, (_, i) => limiter.consume(`key ${i}`))
    const sources = (await Promise.all(decisions)).map(({ source }) => source)
    expect(new Set(sources)).toEqual(new Set(['closed']))
  })

  test('a full disk fails decisions that need a new page, and counts those that do not', async () => {
    const { connection } = connected()
    const limiter = limiterOf(connection)
    await limiter.consume('key')
    const [pages] = Object.values(connection.prepare('pragma page_count').get() ?? {})
    connection.exec(`pragma max_page_count = ${Number(pages) + 1}`)
    const sources = new Set<string>()
    for (let i = 0; i < 200; i++) sources.add((await limiter.consume(`key ${i}`)).source)
    expect([...sources]).toEqual(['store', 'closed'])
    connection.exec('pragma max_page_count = 1000000')
    await expect.poll(async () => (await limiter.consume('another')).source).toBe('store')
    expect((await limiter.consume('key')).remaining).toBe(3)
  })

  test('a file that was deleted counts on for the connections that are open', async () => {
    const { file, connection } = connected()
    const limiter = limiterOf(connection)
    await limiter.consume('key')
    for (const ending of ['', '-wal', '-shm']) rmSync(file + ending)
    expect((await limiter.consume('key')).remaining).toBe(3)
    expect((await limiterOf(connected(file).connection).consume('key')).remaining).toBe(4)
  })

  test('a table that was dropped fails decisions with its name', async () => {
    const { connection } = connected()
    const limiter = limiterOf(connection)
    connection.exec('drop table sluice')
    await expect(limiter.penalize('key', 1)).rejects.toMatchObject({
      code: 'SLUICE_STORE_REFUSED',
      message: expect.stringContaining('no such table: sluice'),
    })
  })

  test('a file that cannot be written is an error at the start', () => {
    const { file } = connected()
    connected(file).connection.exec('create table own (value)')
    const { connection } = connected(file, openReadOnly)
    expect(() => sqliteStore(connection)).toThrow(
      expect.objectContaining({
        code: 'SLUICE_STORE_FAILED',
        message: expect.stringContaining('readonly'),
      }),
    )
  })

  test.each(['a read-only connection', 'a connection with "query_only"'])(
    'so is %s to a file that has the table',
    (kind) => {
      const { file, connection: writer } = connected()
      sqliteStore(writer)
      const isReadOnly = kind === 'a read-only connection'
      const { connection } = connected(file, isReadOnly ? openReadOnly : open)
      if (!isReadOnly) connection.exec('pragma query_only = 1')
      expect(() => sqliteStore(connection)).toThrow(
        expect.objectContaining({
          code: 'SLUICE_STORE_FAILED',
          message: expect.stringContaining('readonly'),
        }),
      )
    },
  )

  test('so is a connection that is closed', () => {
    const connection = open(':memory:')
    connection.close()
    expect(() => sqliteStore(connection)).toThrow(/the database .*not open/)
  })

  test('onStoreError decides for a row that another program has damaged', async () => {
    const { connection } = connected()
    const limiter = limiterOf(connection)
    for (const state of [`'text'`, `x''`, `x'01ff'`, 'zeroblob(70000)']) {
      await limiter.consume('key')
      connection.exec(`update sluice set state = ${state}, version = version + 1`)
      expect((await limiter.consume('key')).source).toBe('closed')
      connection.exec('delete from sluice')
    }
  })
})

describe('sqliteStore', () => {
  const [{ open }] = sqliteDrivers()

  test.each([
    ['nothing', undefined],
    ['a path', 'limits.db'],
    ['an empty object', {}],
    ['a driver with promises', { exec: async () => {}, prepare: async () => ({}) }],
    [
      'a driver with callbacks',
      { exec: () => {}, prepare: () => ({ get: () => {}, run: () => {} }) },
    ],
  ])('refuses %s', (_, value) => {
    const call: (database: never) => unknown = sqliteStore
    expect(() => Reflect.apply(call, undefined, [value])).toThrow(
      expect.objectContaining({
        code: 'SLUICE_DATABASE_INVALID',
        message: expect.stringContaining('new DatabaseSync(file)'),
      }),
    )
  })

  test.each([
    [{ table: '' }, 'SLUICE_OPTION_INVALID', 'a name of 1 to 50 characters'],
    [{ table: 'x'.repeat(51) }, 'SLUICE_OPTION_INVALID', 'a name of 1 to 50 characters'],
    [{ table: 'x', tabel: 'x' }, 'SLUICE_OPTION_UNKNOWN', 'table'],
    [{ timeout: -1 }, 'SLUICE_OPTION_INVALID', 'timeout'],
    [{ rememberedRows: 0.5 }, 'SLUICE_OPTION_INVALID', 'rememberedRows'],
  ])('refuses the options %j', (options, code, message) => {
    const connection = open(':memory:')
    onTestFinished(() => void connection.close())
    expect(() => sqliteStore(connection, options)).toThrow(
      expect.objectContaining({ code, message: expect.stringContaining(message) }),
    )
  })
})

function newFile(): string {
  const { file, remove } = temporaryFile()
  onTestFinished(remove)
  return file
}

function limiterOf(connection: SqliteClient, options?: SqliteStoreOptions): Limiter<AsyncStore> {
  return limiterOver(sqliteStore(connection, options))
}

function limiterOver(store: AsyncStore): Limiter<AsyncStore> {
  const policies = fixedWindow({ limit: 5, window: '1h' })
  return createLimiter({ name: 'api', policies, store, onStoreError: 'deny', denyCache: false })
}
