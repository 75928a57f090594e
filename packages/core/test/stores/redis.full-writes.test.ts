import { randomUUID } from 'node:crypto'
import { createLimiter, fixedWindow, redisStore, tokenBucket, type Policies } from '@sluice/core'
import { startRedis } from '@sluice/test-kit/redis'
import { expect, onTestFinished, test } from 'vitest'

test('a write that fails because memory is full fails its own request, and no other request of the call', async () => {
  const server = await startRedis({ settings: ['--maxmemory-policy', 'noeviction'] })
  onTestFinished(() => server.stop())
  const client = server.client()
  const store = redisStore(client, { timeout: '20s' })
  const limiterOf = (policies: Policies) =>
    createLimiter({ name: randomUUID(), policies, store, onStoreError: 'deny', denyCache: false })
  const windows = limiterOf(fixedWindow({ limit: 5, window: '1h' }))
  const buckets = limiterOf(tokenBucket({ capacity: 5, refill: 1, every: '1h', initial: 0 }))
  const held = [await windows.consume('a', { cost: 3 }), await windows.consume('b', { cost: 3 })]
  await client.config('SET', 'maxmemory', 100_000)
  // A reset writes the row of a full bucket, and no memory is left for it.
  const [first, reset, second] = await Promise.allSettled([
    windows.refund(held[0]),
    buckets.reset('new'),
    windows.refund(held[1]),
  ])
  expect([first, second]).toEqual([
    { status: 'fulfilled', value: true },
    { status: 'fulfilled', value: true },
  ])
  expect(reset).toMatchObject({
    status: 'rejected',
    reason: { code: 'SLUICE_STORE_FAILED', message: expect.stringContaining('OOM') },
  })
  const left = await windows.peekMany([{ key: 'a' }, { key: 'b' }])
  expect(left.map(({ remaining }) => remaining)).toEqual([5, 5])
})
