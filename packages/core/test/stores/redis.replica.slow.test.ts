import { randomUUID } from 'node:crypto'
import { createLimiter, fixedWindow, redisStore } from '@sluice/core'
import { startRedis } from '@sluice/test-kit/redis'
import { expect, onTestFinished, test } from 'vitest'

test('a call that writes fails at a replica, with the error of the replica as its cause', async () => {
  const server = await startRedis()
  onTestFinished(() => server.stop())
  const client = server.client()
  const limiter = createLimiter({
    name: randomUUID(),
    policies: fixedWindow({ limit: 5, window: '1h' }),
    store: redisStore(client, { timeout: '20s' }),
    onStoreError: 'deny',
    denyCache: false,
  })
  await limiter.consume('key', { cost: 2 })
  // The configured master does not exist, so the server stays a replica.
  await client.replicaof('127.0.0.1', '1')
  const reason = {
    code: 'SLUICE_STORE_FAILED',
    cause: { message: expect.stringMatching(/^READONLY/) },
  }
  await expect(limiter.penalize('key', 1)).rejects.toMatchObject(reason)
  expect(await limiter.refund('key', 0)).toBe(true)
  expect(await limiter.peek('key')).toMatchObject({ source: 'store', remaining: 3 })
})
