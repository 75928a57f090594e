import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  concurrency,
  createLimiter,
  fixedWindow,
  type AsyncStore,
  type LimiterOptions,
} from '../../src/index.js'
import { rejectionOf } from '../error-of.js'
import { gone, holdTime, releaseTime, stubStore } from '../stores/pipeline/stub-store.js'

const policies = {
  hour: fixedWindow({ limit: 10, window: '1h' }),
  slots: concurrency({ limit: 4, lease: '1m' }),
}

/** A limiter whose store counted 3 units of the key. */
async function benchOf(
  options: Partial<
    Omit<LimiterOptions<AsyncStore>, 'policies' | 'limit' | 'window' | 'algorithm'>
  > = {},
) {
  const stub = stubStore()
  const limiter = createLimiter({ name: 'api', policies, store: stub, ...options })
  await limiter.consume('key', { cost: 3 })
  return { stub, limiter }
}

const counted = {
  hour: { used: 3, limit: 10, remaining: 7, resetMs: 3_600_000, blockedMs: 0, exemptMs: 0 },
  slots: { used: 3, limit: 4, remaining: 1, resetMs: 60_000, blockedMs: 0, exemptMs: 0 },
}

beforeEach(holdTime)
afterEach(releaseTime)

describe('status', () => {
  test('has the source "store" and its counts if the store works', async () => {
    const { limiter } = await benchOf()
    expect(await limiter.status('key')).toEqual({ source: 'store', policies: counted })
  })

  test('has the source "store" for a memory store', () => {
    const limiter = createLimiter({ name: 'api', policies })
    limiter.consume('key', { cost: 3 })
    expect(limiter.status('key')).toEqual({ source: 'store', policies: counted })
  })

  test.each(['allow', 'deny'] as const)(
    'fails with the store’s error while it is unavailable: %s',
    async (onStoreError) => {
      const { stub, limiter } = await benchOf({ onStoreError })
      stub.fail()
      expect(await rejectionOf(limiter.status('key'))).toBe(gone)
      const { source } = await limiter.peek('key')
      expect(source).toBe(onStoreError === 'allow' ? 'open' : 'closed')
      stub.work()
      expect(await limiter.status('key')).toEqual({ source: 'store', policies: counted })
    },
  )

  test('has the counts and the shared limits of the memory store while the store fails: local', async () => {
    const { stub, limiter } = await benchOf({ localShare: 0.5 })
    stub.fail()
    await limiter.consume('key')
    expect(await limiter.status('key')).toEqual({
      source: 'fallback',
      policies: {
        hour: { used: 1, limit: 5, remaining: 4, resetMs: 3_600_000, blockedMs: 0, exemptMs: 0 },
        slots: { used: 1, limit: 2, remaining: 1, resetMs: 60_000, blockedMs: 0, exemptMs: 0 },
      },
    })
  })
})
