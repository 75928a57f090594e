import { expect, test } from 'vitest'
import { MapDatabase, type MapRow } from '@sluice/test-kit/map-database'
import { concurrency, createLimiter, type AsyncStore, type Limiter } from '../../../src/index.js'
import { databaseStore } from '../../../src/stores/database/index.js'

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
