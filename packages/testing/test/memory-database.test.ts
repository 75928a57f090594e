import { expect, test } from 'vitest'
import { MemoryDatabase } from '../src/memory-database.js'

const bytes = new Uint8Array([1])
const endsAt = Date.now() + 3_600_000
const always = { from: -Infinity, until: Infinity }

/** Saves one row by the version that is expected, and returns its new version. */
async function save(
  database: MemoryDatabase,
  version: unknown,
  data: Uint8Array | undefined,
): Promise<unknown> {
  const change = { key: 'key', version, bytes: data, endsAt }
  return (await database.save([[change]], always)).groups[0]
}

async function versionIn(database: MemoryDatabase): Promise<unknown> {
  return (await database.load(['key'])).rows[0]?.version
}

test('no version is used twice, although a row is deleted and written again five thousand times', async () => {
  const database = new MemoryDatabase()
  const versions = new Set<unknown>()
  for (let i = 0; i < 5000; i++) {
    await save(database, undefined, bytes)
    const version = await versionIn(database)
    versions.add(version)
    await save(database, version, undefined)
    expect(await versionIn(database)).toBeUndefined()
  }
  expect(versions.size).toBe(5000)
})

test('a save by the version of a row that was deleted and written again meanwhile saves nothing', async () => {
  const database = new MemoryDatabase()
  await save(database, undefined, bytes)
  const before = await versionIn(database)
  await save(database, before, undefined)
  await save(database, undefined, bytes)
  expect(await save(database, before, new Uint8Array([2]))).toBeUndefined()
  expect((await database.load(['key'])).rows[0]?.bytes).toEqual(bytes)
})

test.each([
  ['first', [true, false]],
  ['last', [false, true]],
])('of two groups in one save, only the current one is saved: the %s one', async (_, current) => {
  const database = new MemoryDatabase()
  const keys = ['a', 'b']
  const first = keys.map((key) => [{ key, version: undefined, bytes, endsAt }])
  await database.save(first, always)
  const { rows } = await database.load(keys)
  const changed = new Uint8Array([2])
  const groups = keys.map((key, i) => [
    { key, version: current[i] ? rows[i]?.version : undefined, bytes: changed, endsAt },
  ])
  const saved = await database.save(groups, always)
  expect(saved.groups.map((group) => group !== undefined)).toEqual(current)
  const after = await database.load(keys)
  expect(after.rows.map((row) => row?.bytes)).toEqual(current.map((is) => (is ? changed : bytes)))
})
