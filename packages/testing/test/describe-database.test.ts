import { readFileSync } from 'node:fs'
import { MapDatabase, type MapRow } from '@sluice/test-kit/map-database'
import type { Database } from '@sluice/core/database'
import { describe, expect, it, test } from 'vitest'
import { contract } from '../src/contract.js'
import { describeDatabase, type DatabaseFactory } from '../src/index.js'
import { MemoryDatabase } from '../src/memory-database.js'
import { Data, faults } from './faulty-databases/index.js'

const rows = new Map<string, MapRow>()

function damageIn(map: Map<string, MapRow>) {
  return (key: string): void => {
    const row = map.get(key)
    if (row !== undefined) map.set(key, { ...row, bytes: new Uint8Array() })
  }
}

describeDatabase('a map', () => new MapDatabase({ rows }), {
  describe,
  it,
  damage: damageIn(rows),
})

describeDatabase(
  'a map that never returns rows',
  () => new MapDatabase({ rows, returnsRows: false }),
  {
    describe,
    it,
  },
)

describeDatabase(
  'a map whose time has fractions of a millisecond',
  () => new MapDatabase({ rows, clock: () => performance.timeOrigin + performance.now() }),
  { describe, it },
)

const memory = new MemoryDatabase()
describeDatabase('the database of testStore', () => memory, { describe, it })

test('each test may run for a minute, also where the runner has a shorter time', () => {
  const times = new Set<number>()
  describeDatabase('a map', () => new MapDatabase(), {
    describe: (_, define) => define(),
    it: (_, __, timeoutMs) => times.add(timeoutMs),
  })
  expect([...times]).toEqual([60_000])
})

/** Runs the tests until one has the expected failure. Returns the failures up to then. */
async function failuresOf(
  makeDatabase: DatabaseFactory,
  damage: (key: string) => void,
  isExpected: (failure: string) => boolean,
): Promise<readonly string[]> {
  const runs: (() => Promise<void>)[] = []
  describeDatabase('faulty', makeDatabase, {
    describe: (_, define) => define(),
    it: (_, run) => runs.push(run),
    damage,
  })
  const failures: string[] = []
  for (const run of runs) {
    if (failures.some(isExpected)) break
    await run().catch((error: unknown) => {
      failures.push(error instanceof Error ? error.message : String(error))
    })
  }
  return failures
}

test.concurrent.each(faults)('a database that %s fails: "%s", %s', async (...fault) => {
  const [, sentence, brokenBy, make] = fault
  const start = `The database breaks its contract: "${contract[sentence]}" `
  const data = new Data()
  const { map } = data
  const makeDatabase = (): Database => ({
    name: 'faulty',
    load: (keys) => map.load(keys),
    save: (groups, span) => map.save(groups, span),
    ...make(data),
  })
  const failures = await failuresOf(
    makeDatabase,
    damageIn(map.rows),
    (failure) => failure.startsWith(start) && failure.slice(start.length).includes(brokenBy),
  )
  expect(failures.at(-1)?.slice(0, start.length)).toBe(start)
  expect(failures.at(-1)?.slice(start.length)).toContain(brokenBy)
})

test('a failure has a sentence of the TSDoc of the contract', () => {
  const source = readFileSync(
    new URL('../../core/src/stores/database/database.ts', import.meta.url),
    'utf8',
  )
  const text = source.replaceAll(/\s*\n\s*\*?\s*/g, ' ')
  expect(Object.values(contract).filter((sentence) => !text.includes(sentence))).toEqual([])
})

test('each sentence has a faulty database that breaks it', () => {
  const broken = new Set<string>(faults.map(([, sentence]) => sentence))
  expect(Object.keys(contract).filter((name) => !broken.has(name))).toEqual([])
})
