import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { createLimiter, fixedWindow, redisStore, type AsyncStore, type Limiter } from '@sluice/core'
import { useRedis } from '@sluice/test-kit/redis'
import { expect, test } from 'vitest'

const server = useRedis()

/** Limiters of two processes: each has a connection and remembered denials of its own. */
function twoProcesses(): readonly Limiter<AsyncStore>[] {
  const name = randomUUID()
  const policies = fixedWindow({ limit: 1, window: '1h' })
  return [0, 1].map(() => {
    const store = redisStore(server.client(), { timeout: '10s' })
    return createLimiter({ name, policies, store })
  })
}

test('another process allows an exempt key within a second, and denies it again after unexempt', async () => {
  const [one, other] = twoProcesses()
  await one.consume('key')
  expect((await other.consume('key')).source).toBe('store')
  expect((await other.consume('key')).source).toBe('local')
  await one.exempt('key', '1h')
  expect(await one.consume('key')).toMatchObject({ allowed: true, exempt: true })
  await delay(1000)
  expect(await other.consume('key')).toMatchObject({ allowed: true, exempt: true })
  await one.unexempt('key')
  expect((await other.consume('key')).allowed).toBe(false)
})

test('a process that has denied the key allows it as soon as it has made the exemption itself', async () => {
  const [one] = twoProcesses()
  for (let i = 0; i < 3; i++) await one.consume('key')
  await one.exempt('key', '1h')
  const decisions = await Promise.all([one.consume('key'), one.consume('key', { cost: 5 })])
  expect(decisions.map(({ allowed }) => allowed)).toEqual([true, true])
})
