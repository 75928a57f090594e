import { createLimiter, fixedWindow } from '@sluice/core'
import { expect, test } from 'vitest'

test('of a line that has emptied, nothing is remembered: after a reset, all who come at once are let in', async () => {
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
