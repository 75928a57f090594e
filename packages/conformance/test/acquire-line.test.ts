import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { createLimiter, fixedWindow, memoryStore } from '@sluice/core'
import { expect, test } from 'vitest'

test('an empty queue leaves no state: after a reset, all simultaneous calls are allowed', async () => {
  const limiter = createLimiter({
    name: 'api',
    policies: fixedWindow({ limit: 2, window: '1h' }),
    clock: () => 1_763_683_200_000,
  })
  limiter.consume('key', { cost: 2 })
  const denied = await limiter.acquire('key', { maxWait: 0 })
  expect(denied).toMatchObject({ allowed: false, retryAfterMs: 3_600_000 })
  limiter.reset('key')
  const both = await Promise.all([
    limiter.acquire('key', { maxWait: '1m' }),
    limiter.acquire('key', { maxWait: '1m' }),
  ])
  expect(both.map(({ allowed }) => allowed)).toEqual([true, true])
})

test('a key whose calls are all settled keeps no state', async () => {
  setFlagsFromString('--expose-gc')
  const collect: unknown = runInNewContext('gc')
  const limiter = createLimiter({
    name: 'api',
    policies: fixedWindow({ limit: 2, window: '1h' }),
    store: memoryStore({ maxKeys: 100 }),
  })
  const heapAfter = async (keys: number): Promise<number> => {
    for (let i = 0; i < keys; i++) await limiter.acquire(`${keys} ${i}`)
    if (typeof collect === 'function') collect()
    return process.memoryUsage().heapUsed
  }
  const before = await heapAfter(2000)
  const bytesPerKey = ((await heapAfter(20_000)) - before) / 20_000
  expect(bytesPerKey).toBeLessThan(100)
})
