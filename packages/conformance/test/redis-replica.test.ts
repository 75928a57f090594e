import { randomUUID } from 'node:crypto'
import { createLimiter, fixedWindow, redisStore } from '@sluice/core'
import { startRedis } from '@sluice/conformance/redis'
import { expect, onTestFinished, test } from 'vitest'

test('a call to a replica fails as a whole with its error as the cause, and a look by itself is answered', async () => {
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
  // Of a master that does not exist: it stays a replica.
  await client.replicaof('127.0.0.1', '1')
  const [penalty, look] = await Promise.allSettled([
    limiter.penalize('key', 1),
    limiter.peek('key'),
  ])
  const reason = {
    code: 'SLUICE_STORE_FAILED',
    cause: { message: expect.stringMatching(/^READONLY/) },
  }
  expect(penalty).toMatchObject({ status: 'rejected', reason })
  expect(look).toMatchObject({ status: 'fulfilled', value: { source: 'closed' } })
  expect(await limiter.peek('key')).toMatchObject({ source: 'store', remaining: 3 })
})
