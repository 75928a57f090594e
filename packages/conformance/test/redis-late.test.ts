import { randomUUID } from 'node:crypto'
import { createLimiter, fixedWindow, redisStore } from '@sluice/core'
import { startRedis } from '@sluice/conformance/redis'
import { expect, onTestFinished, test } from 'vitest'

test('a refund during a pause of Redis arrives when the pause ends, however late', async () => {
  const server = await startRedis()
  onTestFinished(() => server.stop())
  const client = server.client()
  const options = { name: randomUUID(), policies: fixedWindow({ limit: 1000, window: '1h' }) }
  const patient = createLimiter({ ...options, store: redisStore(client, { timeout: '20s' }) })
  const hasty = createLimiter({ ...options, store: redisStore(client, { timeout: 30 }) })
  const decision = await patient.consume('key', { cost: 7 })
  // It knows the server's clock before the pause.
  while (!(await hasty.ping()) || (await hasty.consume('other')).source !== 'store');
  // The server knows the script that refunds, so that the refund takes one trip.
  await patient.unblock('other')
  process.kill(server.pid, 'SIGSTOP')
  onTestFinished(() => void process.kill(server.pid, 'SIGCONT'))
  expect(await hasty.refund(decision)).toBe(false)
  // Each of these takes as long as the store may.
  for (let i = 0; i < 5; i++) expect(await hasty.ping()).toBe(false)
  process.kill(server.pid, 'SIGCONT')
  expect((await patient.peek('key')).remaining).toBe(1000)
})
