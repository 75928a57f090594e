import { readFileSync } from 'node:fs'
import { MapDatabase, type MapRow } from '@sluice/conformance/databases'
import type { Database } from '@sluice/core/database'
import { describe, expect, it, test } from 'vitest'
import { contract } from '../src/contract.js'
import { describeDatabase, type DatabaseFactory } from '../src/index.js'
import { Data, faults } from './faulty-databases.js'

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

/** Runs the tests until one says that this sentence is broken. Returns all broken sentences up to then. */
async function brokenBy(
  makeDatabase: DatabaseFactory,
  sentence: string,
  damage: (key: string) => void,
): Promise<Set<string>> {
  const runs: (() => Promise<void>)[] = []
  describeDatabase('faulty', makeDatabase, {
    describe: (_, define) => define(),
    it: (_, run) => runs.push(run),
    damage,
  })
  const broken = new Set<string>()
  for (const run of runs) {
    if (broken.has(sentence)) break
    await run().catch((error: unknown) => broken.add(sentenceIn(error)))
  }
  return broken
}

function sentenceIn(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error)
  return /^The database breaks its contract: "([^"]*)" \S/.exec(message)?.[1] ?? message
}

test.concurrent.each(faults)('a database that %s fails: "%s"', async (_, sentence, make) => {
  const data = new Data()
  const { map } = data
  const makeDatabase = (): Database => ({
    name: 'faulty',
    load: (keys) => map.load(keys),
    save: (groups, span) => map.save(groups, span),
    ...make(data),
  })
  const damage = damageIn(map.rows)
  expect(await brokenBy(makeDatabase, contract[sentence], damage)).toContain(contract[sentence])
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
