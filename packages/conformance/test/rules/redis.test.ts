import { redisStore } from '@sluice/core'
import { createRuleLimiter, loadRules, staticSource, type RulesDocument } from '@sluice/rules'
import { useCluster, useRedis } from '@sluice/test-kit/redis'
import { describe, expect, test } from 'vitest'

const document = {
  version: 1,
  name: 'rules-on-redis',
  values: { user: 'string?' },
  rules: [
    { id: 'address', key: 'ip', limit: 3, window: '1h', algorithm: 'fixedWindow' },
    { id: 'user', key: 'user', limit: 2, window: '1h', algorithm: 'fixedWindow' },
    { id: 'double', when: { user: 'ann' }, key: [], cost: 2, limit: 9, window: '1h' },
    { id: 'trial', key: [], limit: 0, window: '1h', shadow: true },
  ],
} as const satisfies RulesDocument

describe('rules over Redis', () => {
  const redis = useRedis()
  const cluster = useCluster()

  test.each([
    ['Redis', () => redisStore(redis.connection, { timeout: '10s' })],
    ['a Cluster', () => redisStore(cluster.client(), { timeout: '10s' })],
  ])(
    'a request that one rule denies takes no units of the others (%s)',
    async (_what, makeStore) => {
      const rules = await loadRules({ source: staticSource(document) })
      const limiter = createRuleLimiter({ rules, store: makeStore() })
      const ann = { ip: '203.0.113.1', user: 'ann' }
      const bob = { ip: '203.0.113.1', user: 'bob' }
      const decisions = []
      for (const one of [ann, ann, ann, ann, bob, bob]) decisions.push(await limiter.consume(one))
      expect(decisions.map(({ allowed, rule }) => [allowed, rule])).toEqual([
        [true, undefined],
        [true, undefined],
        [false, 'user'],
        [false, 'user'],
        [true, undefined],
        [false, 'address'],
      ])
      const { policies } = await limiter.peek(ann)
      expect([policies['address']?.remaining, policies['user']?.remaining]).toEqual([0, 0])
    },
  )
})
