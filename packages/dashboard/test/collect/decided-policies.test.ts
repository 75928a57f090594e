import { useRedis } from '@sluice/test-kit/redis'
import { describe, expect, test } from 'vitest'
import { decidedPolicies } from '../../src/collect/decided-policies.js'
import { createLimiter, fixedWindow, memoryStore, redisStore, type Limiter } from '@sluice/core'

const redis = useRedis()
const policies = {
  a: fixedWindow({ limit: 1, window: '1m' }),
  b: fixedWindow({ limit: 9, window: '1h', block: { for: '10m', on: 'exceeded' } }),
}

describe.each<[string, () => Limiter]>([
  ['memory', () => createLimiter({ name: 'decided', policies, store: memoryStore() })],
  [
    'Redis',
    () =>
      createLimiter({
        name: 'decided',
        policies,
        store: redisStore(redis.connection, { timeout: '10s' }),
      }),
  ],
])('the policies of a decision over %s', (_, make) => {
  test('are those of its limiter, with the block of the key', async () => {
    const limiter = make()
    const first = await limiter.consume('ann')
    expect(decidedPolicies(first)).toEqual([
      { name: 'a', policy: policies.a, blockedMs: 0 },
      { name: 'b', policy: policies.b, blockedMs: 0 },
    ])
    await limiter.block('ann', '1m')
    const [a, b] = decidedPolicies(await limiter.consume('ann'))
    for (const { blockedMs } of [a, b]) {
      expect(blockedMs).toBeLessThanOrEqual(60_000)
      expect(blockedMs).toBeGreaterThan(50_000)
    }
  })

  test('are those of the call, if it has its own', async () => {
    const own = { plan: fixedWindow({ limit: 3, window: '1h' }) }
    const decision = await make().consume('bob', { policies: own })
    expect(decidedPolicies(decision)).toEqual([{ name: 'plan', policy: own.plan, blockedMs: 0 }])
  })
})

test('a copy of a decision has none', () => {
  const decision = createLimiter({ name: 'copied', policies }).consume('ann')
  expect(decidedPolicies({ ...decision })).toEqual([])
})
