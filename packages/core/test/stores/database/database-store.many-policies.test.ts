import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { expect, onTestFinished, test } from 'vitest'
import { MapDatabase } from '@sluice/test-kit/map-database'
import {
  createLimiter,
  fixedWindow,
  type Limiter,
  type StoreErrorEvent,
} from '../../../src/index.js'
import { databaseStore } from '../../../src/stores/database/index.js'

function limiterOf(count: number): Limiter {
  const policies = Object.fromEntries(
    Array.from({ length: count }, (_, i) => {
      return [`p${i}`, fixedWindow({ limit: 1000 - i, window: (1000 - i) * 60_000 })]
    }),
  )
  const store = databaseStore(new MapDatabase(), { timeout: '5s' })
  return createLimiter({ name: 'api', policies, store, onStoreError: 'deny' })
}

const keysOf = (count: number): Record<string, string> =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`p${i}`, `key ${i}`]))

test.each([255, 300])('%d policies of one key are decided by the database', async (count) => {
  const limiter = limiterOf(count)
  for (let i = 1; i <= 2; i++) {
    const decision = await limiter.consume('key')
    expect(decision).toMatchObject({ source: 'store', remaining: 1001 - count - i })
  }
})

test.each([255, 256])('%d keys of one request are decided by the database', async (count) => {
  const limiter = limiterOf(count)
  for (let i = 1; i <= 2; i++) {
    const decision = await limiter.consume(keysOf(count))
    expect(decision).toMatchObject({ source: 'store', remaining: 1001 - count - i })
  }
})

test('a request with more keys fails at once, and no other request with it', async () => {
  const limiter = limiterOf(257)
  const errors: unknown[] = []
  const note = (event: unknown): number => errors.push((event as StoreErrorEvent).error)
  subscribe('sluice:store:error', note)
  onTestFinished(() => void unsubscribe('sluice:store:error', note))
  const [wide, narrow] = await Promise.all([limiter.consume(keysOf(257)), limiter.consume('key 1')])
  expect([wide.source, narrow.source]).toEqual(['closed', 'store'])
  expect(errors).toEqual([
    expect.objectContaining({
      code: 'SLUICE_STORE_FAILED',
      message: expect.stringContaining('a request has more than 256 keys'),
    }),
  ])
})
