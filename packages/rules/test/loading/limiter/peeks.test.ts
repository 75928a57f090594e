import { memoryStore, redisStore } from '@sluice/core'
import { useRedis } from '@sluice/test-kit/redis'
import { expect, test } from 'vitest'
import {
  compileRules,
  createRuleLimiter,
  parseRules,
  type RuleLimiter,
} from '../../../src/index.js'

const document = `version: 1
name: counts
values: { user: string, size: integer }
rules:
  - { id: banned, when: { user: mallory }, then: deny }
  - { id: hour, key: user, policy: { kind: slidingLog, limit: 2, window: 1h } }
  - { id: size, key: user, policy: { kind: fixedWindow, limit: 10, window: 1h }, cost: $size }
  - { id: points, key: user, policy: { kind: fixedWindow, limit: 1, window: 1h }, over: { tag: no-points } }
  - { id: trial, key: user, policy: { kind: fixedWindow, limit: 1, window: 1h }, shadow: true }
`

const redis = useRedis()

test.each(['memory', 'Redis'])('each count is peeked at, on %s', async (where) => {
  const store = where === 'memory' ? memoryStore() : redisStore(redis.connection, { timeout: 5000 })
  const current = await compileRules(
    parseRules({ text: document, format: 'yaml', files: new Map() }),
  )
  const limiter: RuleLimiter = createRuleLimiter({ rules: { name: 'counts', current }, store })
  const context = { user: 'ada', size: 3 }
  await limiter.consume(context)
  await limiter.consume(context)

  // The log denies, after which a decision asks no other limit. All counts are still returned.
  for (let i = 0; i < 2; i++) {
    const { source, counts } = await limiter.peekCounts(context)
    expect(source).toBe('store')
    expect([...counts].map(([name, { used, allowed }]) => [name, used, allowed])).toEqual([
      ['hour', 2, false],
      ['size', 6, true],
      ['points', 1, false],
      ['trial', 1, false],
    ])
  }
  expect((await limiter.peekCounts({ user: 'mallory', size: 1 })).counts).toEqual(new Map())
})

test('counts of the fallback have its source', async () => {
  const client = redis.client({ enableOfflineQueue: false, retryStrategy: () => null })
  client.disconnect()
  const current = await compileRules(
    parseRules({ text: document, format: 'yaml', files: new Map() }),
  )
  const limiter = createRuleLimiter({
    rules: { name: 'counts', current },
    store: redisStore(client),
  })
  expect((await limiter.peekCounts({ user: 'ada', size: 1 })).source).toBe('fallback')
})
