import { describe, expect, test } from 'vitest'
import {
  concurrency,
  createLimiter,
  fixedWindow,
  gcra,
  leakyQueue,
  memoryStore,
  slidingLog,
  staged,
  tokenBucket,
  unlimited,
  type Policy,
} from '../../src/index.js'
import { createReplay, traitsOf } from '../../src/replay/index.js'

const start = 1_700_000_000_000
const policies: readonly (readonly [string, Policy])[] = [
  ['by a row', fixedWindow({ limit: 3, window: '1m' })],
  ['with a body', slidingLog({ limit: 3, window: '1m' })],
  ['with a block', gcra({ limit: 3, window: '1m', block: { for: '2m' } })],
]

describe.each(policies)('%s', (_, policy) => {
  test('allows what a limiter with that clock allows', () => {
    let now = start
    const replay = createReplay({ policies: policy, clock: () => now })
    const limiter = createLimiter({
      name: 'live',
      policies: policy,
      store: memoryStore(),
      clock: () => now,
    })
    const replayed: boolean[] = []
    const live: boolean[] = []
    for (let i = 0; i < 200; i++) {
      now += (i * 7919) % 9000
      const key = ['user', i % 3]
      const cost = i % 5 === 0 ? 2 : 1
      replayed.push(replay.consume(key, cost))
      live.push(limiter.consume(key, { cost }).allowed)
    }
    expect(replayed).toEqual(live)
    expect(new Set(live).size).toBe(2)
  })

  test('its limiter has the same counts', () => {
    const replay = createReplay({ policies: policy, clock: () => start })
    expect([1, 1].map((cost) => replay.consume('key', cost))).toEqual([true, true])
    expect(replay.limiter.peek('key').remaining).toBe(1)
    const decision = replay.limiter.consume('key')
    expect(replay.consume('key', 1)).toBe(false)
    replay.limiter.refund(decision)
    expect(replay.consume('key', 1)).toBe(true)
  })
})

test('returns the policies as their builders do', () => {
  // In the form of a policy from a file.
  const written: Policy = JSON.parse('{ "kind": "fixedWindow", "limit": 3, "window": "1m" }')
  const { policies } = createReplay({
    policies: { a: written, b: unlimited() },
    clock: () => start,
  })
  expect(policies).toEqual({ a: fixedWindow({ limit: 3, window: '1m' }), b: unlimited() })
})

test('unlimited allows everything', () => {
  const replay = createReplay({ policies: unlimited(), clock: () => start })
  expect(replay.consume('key', 1_000_000)).toBe(true)
})

test('throws for an unknown policy, and for an invalid key', () => {
  expect(() => createReplay({ policies: { kind: 'nonsense' }, clock: () => start })).toThrow(
    expect.objectContaining({ code: 'SLUICE_POLICY_UNKNOWN' }),
  )
  const replay = createReplay({
    policies: fixedWindow({ limit: 1, window: '1m' }),
    clock: () => start,
  })
  expect(() => replay.consume('', 1)).toThrow(
    expect.objectContaining({ code: 'SLUICE_KEY_INVALID' }),
  )
})

test('evicts counts beyond the largest number of keys', () => {
  const policy = fixedWindow({ limit: 1, window: '1m' })
  const replay = createReplay({ policies: policy, clock: () => start, maxKeys: 2 })
  for (const key of ['a', 'b', 'c']) replay.consume(key, 1)
  expect([replay.store.size, replay.store.evicted]).toEqual([2, 1])
})

const minute = { limit: 30, window: '1m' } as const

test.each<readonly [string, number, Policy]>([
  ['its window', 60_000, fixedWindow(minute)],
  ['the time in which its burst is available again', 10_000, gcra({ ...minute, burst: 5 })],
  ['the time in which it fills', 5000, tokenBucket({ capacity: 10, refill: 2, every: '1s' })],
  ['the time in which it drains', 4000, leakyQueue({ leak: 1, every: '1s', maxDelay: '3s' })],
  ['nothing, without a count', Infinity, unlimited()],
  ['nothing, with leases', Infinity, concurrency({ limit: 1, lease: '1s' })],
  [
    'the shorter one of two stages',
    2000,
    staged({ free: fixedWindow(minute), then: gcra({ limit: 1, window: '2s' }) }),
  ],
])('a policy recovers within %s', (_, recoveryMs, policy) => {
  expect(traitsOf(policy)).toEqual({ recoveryMs, hasLeases: policy.kind === 'concurrency' })
})
