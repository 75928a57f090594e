import { randomUUID } from 'node:crypto'
import { createLimiter, fixedWindow, redisStore, unlimited } from '@sluice/core'
import { useRedis } from '@sluice/test-kit/redis'
import { expect, test } from 'vitest'

const server = useRedis()

const policies = unlimited()

test('unlimited sends no command, and does not change the counts in Redis under the same name', async () => {
  const store = redisStore(server.client(), { timeout: '10s' })
  const free = fixedWindow({ limit: 3, window: '1h' })
  const limiter = createLimiter({ name: randomUUID(), policies: free, store })
  await limiter.consume('key')
  const before = await scripts()
  for (let i = 0; i < 20; i++) {
    expect((await limiter.consume('key', { policies })).remaining).toBe(Infinity)
  }
  expect(await scripts()).toBe(before)
  expect((await limiter.consume('key')).remaining).toBe(1)
})

test('unlimited does not wait for a Redis that hangs, and is not denied by a limiter that fails closed', async () => {
  const store = redisStore(server.client(), { timeout: '10s' })
  const limiter = createLimiter({ name: randomUUID(), policies, store, onStoreError: 'deny' })
  process.kill(server.pid, 'SIGSTOP')
  try {
    const { allowed, source } = await limiter.consume('key')
    expect([allowed, source]).toEqual([true, 'store'])
  } finally {
    process.kill(server.pid, 'SIGCONT')
  }
})

/** The number of scripts that the server has run or refused. */
async function scripts(): Promise<number> {
  const stats = await server.connection.info('commandstats')
  const calls = [...stats.matchAll(/cmdstat_eval(?:sha)?:calls=(\d+)/g)]
  return calls.reduce((sum, [, count]) => sum + Number(count), 0)
}
