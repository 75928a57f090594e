import { expect, test } from 'vitest'
import { MapDatabase, type MapRow } from '@sluice/test-kit/map-database'
import { concurrency, createLimiter, type AsyncStore, type Limiter } from '../../../src/index.js'
import { databaseStore } from '../../../src/stores/database/index.js'
import { RememberedRows } from '../../../src/stores/database/remembered-rows.js'

function limiterOver(rows: Map<string, MapRow>): Limiter<AsyncStore> {
  const policies = concurrency({ limit: 1000, lease: '1m' })
  const store = databaseStore(new MapDatabase({ rows }), { timeout: '10s' })
  return createLimiter({ name: 'api', policies, store, onStoreError: 'deny', denyCache: false })
}

test('a remembered row to which a request does not fit is loaded again', async () => {
  const rows = new Map<string, MapRow>()
  const limiter = limiterOver(rows)
  const other = limiterOver(rows)
  const owners = Array.from({ length: 160 }, (_, i) => `${i}${'Ж'.repeat(250)}`)
  const sources = new Set<string>()
  for (const owner of owners) sources.add((await limiter.consume('key', { owner })).source)
  expect([...sources]).toEqual(['store', 'closed'])
  await other.reset('key')
  expect(await limiter.consume('key', { owner: owners[159] })).toMatchObject({
    source: 'store',
    remaining: 999,
  })
})

const row = { version: 1, states: undefined, size: 65_536 }

test('rows that are replaced or forgotten ten thousand times leave space for as many bytes as at first', () => {
  const remembered = new RememberedRows(10_000)
  for (let i = 0; i < 10_000; i++) {
    remembered.set(i % 2 === 0 ? 'replaced' : 'forgotten', row, i)
    remembered.set('forgotten', undefined, i)
  }
  // 4 MB
  for (let i = 1; i < 64; i++) remembered.set(`key ${i}`, row, 10_000)
  expect(remembered.get('replaced', 10_000)).toBe(row)
  remembered.set('one more', row, 10_000)
  expect(remembered.get('replaced', 10_000)).toBeUndefined()
  expect(remembered.get('key 1', 10_000)).toBe(row)
})
