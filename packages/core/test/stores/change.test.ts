import { createLimiter, fixedWindow } from '@sluice/core'
import { expect, test } from 'vitest'

test('a refund of units that were returned before leaves the block that they started', () => {
  const block = { for: '5m', on: 'reached' } as const
  const policies = fixedWindow({ limit: 2, window: '1m', block })
  const limiter = createLimiter({ name: 'api', policies, clock: () => Date.UTC(2026, 0, 1) })
  const decision = limiter.consume('a', { cost: 2 })
  limiter.refund('a', 2)
  expect(limiter.status('a').policies['default']).toMatchObject({ used: 0, blockedMs: 300_000 })
  expect(limiter.refund(decision)).toBe(true)
  expect(limiter.status('a').policies['default'].blockedMs).toBe(300_000)
})
