import { redisStore, type Store } from '@sluice/core'
import { useRedis } from '@sluice/test-kit/redis'
import { expect, test, vi } from 'vitest'
import { createRuleLimiter, loadRules, staticSource } from '../../../src/index.js'

const redis = useRedis()
const stores: readonly (readonly [string, () => Store | undefined])[] = [
  ['memory', () => undefined],
  ['Redis', () => redisStore(redis.connection, { timeout: '10s' })],
]

const counted = (limit: number): string =>
  `key: user, policy: { kind: fixedWindow, limit: ${limit}, window: 1h }`
const independent = `
version: 1
name: independent
values: { user: string }
rules:
  - { id: seen, then: { tag: slow } }
  - { id: again, then: { tag: slow } }
  - { id: two, ${counted(2)}, over: { tag: slow } }
  - { id: all, ${counted(9)} }
  - { id: five, ${counted(5)}, over: { tag: slower } }
  - { id: heavy, ${counted(90)}, cost: 2 }
  - { id: late, ${counted(7)} }
  - { id: s-two, ${counted(2)}, shadow: true }
  - { id: s-both, key: user, policies: { two: { kind: fixedWindow, limit: 2, window: 1h }, five: { kind: fixedWindow, limit: 5, window: 1h } }, shadow: true }
  - { id: s-five, ${counted(5)}, shadow: true }
`

test.each(stores)(
  'rules that do not deny count each by itself, over %s',
  async (_name, storeOf) => {
    const store = storeOf()
    const rules = await loadRules({ source: staticSource(independent) })
    const limiter = createRuleLimiter({ rules, ...(store === undefined ? {} : { store }) })
    const decisions = []
    for (let i = 0; i < 8; i++) decisions.push(await limiter.consume({ user: 'ada' }))
    expect(decisions.map(({ tags }) => tags.join())).toEqual([
      'slow',
      'slow',
      'slow',
      'slow',
      'slow',
      'slow,slower',
      'slow,slower',
      'slow',
    ])
    expect(decisions.map(({ applied }) => applied.join())).toEqual([
      ...Array.from({ length: 7 }, () => 'two,all,five,heavy,late'),
      'all,heavy,late',
    ])
    const told = (): unknown =>
      [...rules.stats()].map(([id, { allowed, denied, shadowDenied }]) =>
        [id, allowed, denied, shadowDenied].join(' '),
      )
    // The last decision does not wait for its shadow rules.
    await vi.waitFor(() =>
      expect(told()).toEqual([
        'seen 0 0 0',
        'again 0 0 0',
        'two 2 5 0',
        'all 8 0 0',
        'five 5 2 0',
        'heavy 8 0 0',
        'late 7 1 0',
        's-two 2 0 5',
        's-both 2 0 5',
        's-five 5 0 2',
      ]),
    )
  },
)
