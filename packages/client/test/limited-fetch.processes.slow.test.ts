import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { startRedis, useRedis } from '@sluice/test-kit/redis'
import { expect, test, vi } from 'vitest'
import { createLimiter, limitedFetch, redisStore, tokenBucket } from '../src/index.js'
import { serve, sluice } from './servers.js'

const redis = useRedis()
const worker = fileURLToPath(new URL('worker.mjs', import.meta.url))
const generous = tokenBucket({ capacity: 100, refill: 100, every: '1s' })

test('a block that one process sets holds for all of them', async () => {
  const server = await serve(sluice('draft', { limit: 3, window: '2s' }))
  const started = Array.from({ length: 3 }, async () =>
    promisify(execFile)(process.execPath, [worker, `${redis.port}`, server.url, '3']),
  )
  const printed = await Promise.all(started)
  const statuses = printed.flatMap(({ stdout }) => JSON.parse(stdout) as number[])
  expect(statuses).toEqual(Array.from({ length: 9 }, () => 200))
  // Calls that were on their way when the quota was used up are refused, at most one of each other process in each window.
  expect(server.statuses.filter((status) => status === 429).length).toBeLessThanOrEqual(6)
})

test('a process that sends no call before the block waits as well', async () => {
  const server = await serve(sluice('draft', { limit: 1, window: '2s' }))
  const [first, second] = [0, 1].map(() =>
    createLimiter({
      name: 'pair',
      policies: generous,
      store: redisStore(redis.client(), { timeout: '10s' }),
    }),
  )
  await limitedFetch(first, { retries: 0 })(server.url)
  const began = performance.now()
  expect((await limitedFetch(second, { retries: 0 })(server.url)).status).toBe(200)
  expect(performance.now() - began).toBeGreaterThan(1000)
  expect(server.statuses).toEqual([200, 200])
})

test('calls continue while Redis is killed, with the blocks of this process', async () => {
  const server = await serve(sluice('draft', { limit: 1, window: '2s' }))
  const killed = await startRedis()
  const client = killed.client({ maxRetriesPerRequest: 0, retryStrategy: () => 50 })
  await client.ping()
  const limiter = createLimiter({
    name: 'killed',
    policies: generous,
    store: redisStore(client, { timeout: '10s' }),
  })
  const call = limitedFetch(limiter, { maxWait: '20s' })
  process.kill(killed.pid, 'SIGKILL')
  await vi.waitFor(() => expect(client.status).not.toBe('ready'))
  for (let n = 0; n < 3; n++) expect((await call(server.url)).status).toBe(200)
  expect(server.statuses).toEqual([200, 200, 200])
  client.disconnect()
  await killed.stop()
})
