import { redisStore, type Store } from '@sluice/core'
import { useRedis } from '@sluice/test-kit/redis'
import { describe, expect, test } from 'vitest'
import { createRuleLimiter, loadRules, staticSource } from '../../../src/index.js'

const redis = useRedis()
const stores: readonly (readonly [string, () => Store | undefined])[] = [
  ['memory', () => undefined],
  ['Redis', () => redisStore(redis.connection, { timeout: '10s' })],
]

const document = (name: string): string => `
version: 1
name: ${name}
values: { user: string, size: integer }
rules:
  - { id: hour, key: user, limit: 2, window: 1h, cost: $size, over: { challenge: { kind: captcha } } }
  - { id: burst, key: user, limit: 1, window: 10s }
`

describe.each(stores)('rules with different costs, over %s', (where, storeOf) => {
  async function limiterOf(name: string) {
    const rules = await loadRules({ source: staticSource(document(`${name}-${where}`)) })
    const store = storeOf()
    return createRuleLimiter({
      rules,
      clock: () => 1_763_683_200_000,
      ...(store === undefined ? {} : { store }),
    })
  }

  test('are decided together: the first one of the document that denies decides, and the wait is the longest', async () => {
    const limiter = await limiterOf('together')
    expect((await limiter.consume({ user: 'ada', size: 2 })).allowed).toBe(true)
    expect(await limiter.consume({ user: 'ada', size: 2 })).toMatchObject({
      allowed: false,
      rule: 'hour',
      outcome: { type: 'challenge', kind: 'captcha' },
      retryAfterMs: 3_600_000,
      deniedBy: ['hour', 'burst'],
      applied: ['hour', 'burst'],
    })
  })

  test('take nothing if one of them denies', async () => {
    const limiter = await limiterOf('nothing')
    const denied = await limiter.consume({ user: 'ada', size: 3 })
    expect(denied).toMatchObject({ rule: 'hour', deniedBy: ['hour'], retryAfterMs: null })
    expect((await limiter.peek({ user: 'ada', size: 2 })).allowed).toBe(true)
  })

  test('are counted and refunded by their own units', async () => {
    const limiter = await limiterOf('own')
    const decision = await limiter.consume({ user: 'ada', size: 2 })
    expect(await limiter.refund(decision, { policies: ['hour'] })).toBe(true)
    const used = async () =>
      [...(await limiter.peekCounts({ user: 'ada', size: 1 })).counts].map(([name, count]) => [
        name,
        count.used,
      ])
    expect(await used()).toEqual([
      ['hour', 0],
      ['burst', 1],
    ])
    await limiter.count({ user: 'ada', size: 2 })
    expect(await used()).toEqual([
      ['hour', 2],
      ['burst', 2],
    ])
  })
})
