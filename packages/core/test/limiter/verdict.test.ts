import {
  concurrency,
  createLimiter,
  fixedWindow,
  leakyQueue,
  tokenBucket,
  type Policies,
} from '@sluice/core'
import { beforeEach, expect, test } from 'vitest'

let now: number
beforeEach(() => {
  now = 1_763_683_200_000
})

function limiterOf(policies: Policies) {
  return createLimiter({ name: 'api', policies, clock: () => now })
}

test('a denial has no delay, even if one of its policies would allow the request with a delay', () => {
  const limiter = limiterOf({
    queue: leakyQueue({ leak: 1, every: '1s', maxDelay: '9s' }),
    window: fixedWindow({ limit: 3, window: '1h' }),
  })
  limiter.consume('key')
  limiter.consume('key')
  expect(limiter.consume('key')).toMatchObject({ allowed: true, delayMs: 2000 })
  const denied = limiter.consume('key')
  expect(denied).toMatchObject({ allowed: false, delayMs: 0, deniedBy: ['window'] })
  expect(denied.policies['queue']).toMatchObject({ allowed: true, delayMs: 3000 })
})

test('a lease of two policies has the shorter length, within which it must be renewed', () => {
  for (const leases of [
    ['1m', '10s'],
    ['10s', '1m'],
  ] as const) {
    const [first, second] = leases.map((lease) => concurrency({ limit: 5, lease }))
    const { lease } = limiterOf({ first, second }).consume('key')
    expect(lease?.lengthMs).toBe(10_000)
  }
})

test('a key that is blocked and over its limit waits for the later of the two', () => {
  const limiter = limiterOf(tokenBucket({ capacity: 2, refill: 1, every: '10s' }))
  limiter.consume('key', { cost: 2 })
  limiter.block('key', '4s')
  expect(limiter.peek('key').policies['default']).toMatchObject({ remaining: 0, nextMs: 10_000 })
  limiter.block('key', '15s')
  expect(limiter.peek('key').policies['default']).toMatchObject({ remaining: 0, nextMs: 15_000 })
})

test('a limit of 0 is always fully used, whatever was taken', () => {
  const limiter = limiterOf(fixedWindow({ limit: 5, window: '1h' }))
  limiter.consume('key', { cost: 5 })
  const policies = fixedWindow({ limit: 0, window: '1h' })
  expect(limiter.peek('key', { policies }).policies['default']).toMatchObject({
    remaining: 0,
    resetMs: 0,
    nextMs: 0,
    retryAfterMs: null,
  })
})

test('limit and remaining are those of the policy with the least remaining', () => {
  const limiter = limiterOf({
    few: fixedWindow({ limit: 5, window: '1s' }),
    many: fixedWindow({ limit: 100, window: '1h' }),
  })
  limiter.penalize({ few: 'other', many: 'key' }, 97)
  expect(limiter.peek({ few: 'key', many: 'key' })).toMatchObject({ limit: 100, remaining: 3 })
})
