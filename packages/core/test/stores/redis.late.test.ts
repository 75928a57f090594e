import { randomUUID } from 'node:crypto'
import { createLimiter, fixedWindow, redisStore } from '@sluice/core'
import { startRedis } from '@sluice/test-kit/redis'
import { expect, onTestFinished, test } from 'vitest'

test('a refund during a pause of Redis arrives when the pause ends, however late', async () => {
  const server = await startRedis()
  onTestFinished(() => server.stop())
  const client = server.client()
  const options = { name: randomUUID(), policies: fixedWindow({ limit: 1000, window: '1h' }) }
  const patient = createLimiter({ ...options, store: redisStore(client, { timeout: '20s' }) })
  const hasty = createLimiter({ ...options, store: redisStore(client, { timeout: 30 }) })
  const decision = await patient.consume('key', { cost: 7 })
  // This limiter has read the server's clock before the pause.
  while (!(await hasty.ping()) || (await hasty.consume('other')).source !== 'store');
  // The server has the script for refunds, so the refund needs one round trip.
  await patient.unblock('other')
  process.kill(server.pid, 'SIGSTOP')
  onTestFinished(() => void process.kill(server.pid, 'SIGCONT'))
  expect(await hasty.refund(decision)).toBe(false)
  // Each of these pings takes the whole timeout of the store.
  for (let i = 0; i < 5; i++) expect(await hasty.ping()).toBe(false)
  process.kill(server.pid, 'SIGCONT')
  expect((await patient.peek('key')).remaining).toBe(1000)
})

test('a decision that reaches Redis after its timeout takes nothing', async () => {
  const server = await startRedis()
  onTestFinished(() => server.stop())
  const client = server.client()
  const options = { name: randomUUID(), policies: fixedWindow({ limit: 1000, window: '1h' }) }
  const patient = createLimiter({ ...options, store: redisStore(client, { timeout: '20s' }) })
  const hasty = createLimiter({ ...options, store: redisStore(client, { timeout: 30 }) })
  await patient.consume('other')
  while ((await hasty.consume('other')).source !== 'store');
  process.kill(server.pid, 'SIGSTOP')
  onTestFinished(() => void process.kill(server.pid, 'SIGCONT'))
  expect((await hasty.consume('key', { cost: 7 })).source).toBe('fallback')
  for (let i = 0; i < 5; i++) expect(await hasty.ping()).toBe(false)
  // It follows the late call on the same connection, before anything could be given back.
  const after = patient.peek('key')
  process.kill(server.pid, 'SIGCONT')
  expect((await after).remaining).toBe(1000)
})
