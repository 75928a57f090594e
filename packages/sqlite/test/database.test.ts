import { describeDatabase } from '@sluice/testing'
import { describeFaultyRows } from '@sluice/conformance/databases'
import { sqliteDrivers, type SqliteConnection } from '@sluice/test-kit/sqlite'
import { describe, expect, it, test } from 'vitest'
import { sqliteDatabase } from '../src/database.js'
import { useFile } from './use-file.js'

const later = 4_000_000_000_000
const always = { from: 0, until: 2 ** 52 }

describe.each(sqliteDrivers())('$name', (driver) => {
  const { file, connect } = useFile()

  describeDatabase('two connections', instances(driver.open), {
    describe,
    it,
    damage(key) {
      const statement = connect(driver.open).prepare(
        `update "two ""tables""" set state = 'text' where key = ?`,
      )
      statement.run(key)
    },
  })
  describeFaultyRows('a file', instances(driver.open))
  describeDatabase('numbers as bigint', instances(driver.openForBigints), { describe, it })

  /** Returns one of two connections, in turns. */
  function instances(open: (path: string) => SqliteConnection) {
    const databases = [0, 1].map(() => sqliteDatabase(connect(open), 'two "tables"'))
    let calls = 0
    return () => databases[calls++ % 2]
  }

  test('a transaction of the application on the same connection fails a save, and remains open', async () => {
    const connection = connect(driver.open)
    const database = sqliteDatabase(connection, 'sluice')
    const group = [{ key: 'in', version: undefined, bytes: Uint8Array.of(1), endsAt: later }]
    connection.exec('create table own (value)')
    connection.exec('begin')
    connection.exec('insert into own values (1)')
    const span = { from: 0, until: Date.now() + 100 }
    await expect(database.save([group], span)).rejects.toMatchObject({
      code: 'SLUICE_STORE_FAILED',
    })
    await expect(database.load([])).rejects.toMatchObject({ code: 'SLUICE_STORE_FAILED' })
    connection.exec('commit')
    expect(connection.prepare('select count(*) as rows from own').get()).toMatchObject({ rows: 1 })
    expect((await database.load(['in'])).rows).toEqual([undefined])
    expect((await database.save([group], always)).groups).toHaveLength(1)
    expect((await database.load(['in'])).rows).toHaveLength(1)
  })

  test('deletes the rows that have ended while it makes new ones, and no others', async () => {
    const connection = connect(driver.open)
    const database = sqliteDatabase(connection, 'cleaned')
    const bytes = Uint8Array.of(1)
    const make = (key: string, endsAt: number) =>
      database.save([[{ key, version: undefined, bytes, endsAt }]], always)
    for (let i = 0; i < 1000; i++) await make(`a kept ${i}`, later)
    for (let i = 0; i < 20_000; i++) await make(`ended ${Math.random()}`, Date.now())
    const rows = connection.prepare('select count(*) as rows from cleaned')
    const kept = connection.prepare(
      `select count(*) as rows from cleaned where key like 'a kept %'`,
    )
    expect(countIn(kept.get())).toBe(1000)
    expect(countIn(rows.get())).toBeLessThan(3000)
  })

  test('a save that fails changes nothing, and the next one is saved', async () => {
    const database = sqliteDatabase(connect(driver.open), 'sluice')
    const rowOf = (key: string, endsAt: number) => {
      return { key, version: undefined, bytes: Uint8Array.of(1), endsAt }
    }
    const failing = database.save([[rowOf('first', later), rowOf('second', NaN)]], always)
    await expect(failing).rejects.toThrow(/NOT NULL/)
    expect((await database.load(['first', 'second'])).rows).toEqual([undefined, undefined])
    const { groups } = await database.save([[rowOf('first', later)]], always)
    expect(groups).toEqual([[expect.any(Number)]])
  })

  test('without keys, load tells whether the file can be read', async () => {
    const connection = driver.open(file)
    const database = sqliteDatabase(connection, 'sluice')
    expect((await database.load([])).rows).toEqual([])
    connection.close()
    await expect(database.load([])).rejects.toThrow()
  })
})

function countIn(row: unknown): number {
  return Number(Object.values(row ?? {})[0])
}
