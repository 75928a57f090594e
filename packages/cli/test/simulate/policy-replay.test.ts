import {
  concurrency,
  createLimiter,
  fixedWindow,
  gcra,
  leakyQueue,
  slidingLog,
  staged,
  tokenBucket,
  unlimited,
  type Policy,
} from '@sluice/core'
import { afterEach, expect, test, vi } from 'vitest'
import { replayOf, traitsOf } from '../../src/simulate/policy-replay.js'

const start = 1_700_000_000_000
const policies: readonly (readonly [string, Policy])[] = [
  ['by a row', fixedWindow({ limit: 3, window: '1m' })],
  ['with a body', slidingLog({ limit: 3, window: '1m' })],
  ['with a block', gcra({ limit: 3, window: '1m', block: { for: '2m' } })],
]

afterEach(() => vi.useRealTimers())

test.each(policies)(
  '%s: allows what a limiter without a clock allows at these times',
  (_, policy) => {
    let now = start
    vi.useFakeTimers({ now })
    const { limiter } = replayOf(policy, () => now)
    const live = createLimiter({ name: 'live', policies: policy })
    const replayed: boolean[] = []
    const allowed: boolean[] = []
    for (let i = 0; i < 200; i++) {
      now += (i * 7919) % 9000
      vi.setSystemTime(now)
      const key = ['user', i % 3]
      const cost = i % 5 === 0 ? 2 : 1
      allowed.push(live.consume(key, { cost }).allowed)
      vi.setSystemTime(start)
      replayed.push(limiter.consume(key, { cost }).allowed)
    }
    expect(replayed).toEqual(allowed)
    expect(new Set(allowed).size).toBe(2)
  },
)

test('returns the policies as their builders do', () => {
  // In the form of a policy from a file.
  const written: Policy = JSON.parse('{ "kind": "fixedWindow", "limit": 3, "window": "1m" }')
  const { policies } = replayOf({ a: written, b: unlimited() }, () => start)
  expect(policies).toEqual({ a: fixedWindow({ limit: 3, window: '1m' }), b: unlimited() })
})

test('unlimited allows everything', () => {
  const { limiter } = replayOf(unlimited(), () => start)
  expect(limiter.consume('key', { cost: 1_000_000 }).allowed).toBe(true)
})

test('throws for an unknown policy, and for an invalid key', () => {
  expect(() => replayOf({ kind: 'nonsense' }, () => start)).toThrow(
    expect.objectContaining({ code: 'SLUICE_POLICY_UNKNOWN' }),
  )
  const { limiter } = replayOf(fixedWindow({ limit: 1, window: '1m' }), () => start)
  expect(() => limiter.consume('')).toThrow(expect.objectContaining({ code: 'SLUICE_KEY_INVALID' }))
})

test('evicts counts beyond the largest number of keys', () => {
  const policy = fixedWindow({ limit: 1, window: '1m' })
  const { store, limiter } = replayOf(policy, () => start, 2)
  for (const key of ['a', 'b', 'c']) limiter.consume(key)
  expect([store.size, store.evicted]).toEqual([2, 1])
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

test.each([
  ['microseconds', start * 1000],
  ['a time before the epoch', -1],
  ['not a number', Number.NaN],
])('a replay at %s is refused', (_, now) => {
  const { limiter } = replayOf(fixedWindow({ limit: 1, window: '1m' }), () => now)
  expect(() => limiter.consume('key')).toThrow(
    expect.objectContaining({ code: 'SLUICE_CLOCK_INVALID' }),
  )
})
