import { describeFaultyRows } from '@sluice/conformance/databases'
import { usePostgres } from '@sluice/test-kit/postgres'
import type { Database } from '@sluice/core/database'
import { describeDatabase } from '@sluice/testing'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest'
import { postgresDatabase } from '../src/database.js'
import { postgresSchema } from '../src/index.js'
import { describePostgresJs, isTraffic, usual } from './postgres-js.js'

const server = usePostgres()
/** The instances take turns. */
let next = 0

describe('pg', () => {
  const pools: pg.Pool[] = []
  const opened: Database[] = []
  beforeAll(async () => {
    for (let i = 0; i < 2; i++) pools.push(new pg.Pool({ connectionString: server.url, max: 4 }))
    await pools[0].query(postgresSchema())
    for (const pool of pools) opened.push(postgresDatabase(pool, usual))
  })
  afterAll(() => Promise.all(pools.map((pool) => pool.end())))

  describeDatabase('a pool', () => opened[next++ % 2], {
    describe,
    it,
    async damage(key) {
      await pools[0].query(`update sluice set state = '' where key = $1`, [key])
    },
  })
  describeFaultyRows('a pool', () => opened[0])
})

test('clean deletes the rows that have ended, and no others', async () => {
  const pool = new pg.Pool({ connectionString: server.url, max: 1 })
  const database = postgresDatabase(pool, { ...usual, table: 'cleaned', migrate: true })
  const bytes = Uint8Array.of(1)
  const groups = [0, 4_000_000_000_000].flatMap((endsAt) =>
    Array.from({ length: 100 }, (_, i) => [
      { key: `${endsAt} ${i}`, version: undefined, bytes, endsAt },
    ]),
  )
  await database.save(groups, { from: 0, until: 2 ** 52 })
  await database.clean?.()
  const { rows } = await pool.query('select min(ends) as ends, count(*)::int as count from cleaned')
  expect(rows).toEqual([{ ends: '4000000000000', count: 100 }])
  await pool.end()
})

describe('after a failover that has lost the last saves', () => {
  const always = { from: 0, until: 2 ** 52 }
  const change = (key: string, version: unknown) => {
    return { key, version, bytes: Uint8Array.of(1), endsAt: 4_000_000_000_000 }
  }

  // A row alone is saved by another statement than several rows.
  test.each([1, 2])('the lost version of a row does not return, of %d rows', async (count) => {
    const pool = new pg.Pool({ connectionString: server.url, max: 1 })
    const database = postgresDatabase(pool, { ...usual, migrate: true })
    const keys = Array.from({ length: count }, (_, i) => `lost ${count} ${i}`)

    async function saved(versions: readonly unknown[]): Promise<readonly unknown[]> {
      const groups = keys.map((key, i) => [change(key, versions[i])])
      return (await database.save(groups, always)).groups.map((group) => group?.[0])
    }

    const kept = await saved([])
    const lost = await saved(kept)
    for (const [i, key] of keys.entries()) {
      await pool.query('update sluice set version = $2 where key = $1', [key, kept[i]])
    }
    expect(await saved(kept)).not.toContain(undefined)
    expect(await saved(lost)).toEqual(keys.map(() => undefined))
    await pool.end()
  })
})

describePostgresJs(server, (name) => !isTraffic(name))
