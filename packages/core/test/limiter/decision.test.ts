import { inspect } from 'node:util'
import { describe, expect, test } from 'vitest'
import {
  createLimiter,
  fixedWindow,
  gcra,
  leakyQueue,
  memoryStore,
  unlimited,
  type Policies,
} from '../../src/index.js'
import { rejectionOf } from '../error-of.js'
import { laterStore } from '../later-store.js'

const today = Date.UTC(2026, 0, 1)

function limiterOf(policies: Policies) {
  return createLimiter({ name: 'shown', policies, clock: () => today })
}

const fields = {
  allowed: true,
  limit: 3,
  remaining: 1,
  retryAfterMs: 0,
  resetMs: 60_000,
  delayMs: 0,
  deniedBy: [],
  policies: {
    default: {
      allowed: true,
      used: 2,
      limit: 3,
      remaining: 1,
      retryAfterMs: 0,
      nextMs: 60_000,
      resetMs: 60_000,
      delayMs: 0,
    },
  },
  source: 'store',
}

describe('a decision looks like a plain object', () => {
  const policy = fixedWindow({ limit: 3, window: '1m' })

  test.each<[string, (decision: object) => unknown]>([
    ['printed by console.log', (decision) => inspect(decision, { depth: 9 })],
    ['printed with hidden fields', (decision) => inspect(decision, { depth: 9, showHidden: true })],
    ['as JSON', JSON.stringify],
    ['copied', (decision) => ({ ...decision })],
    ['cloned', (decision) => structuredClone(decision)],
    ['in its own keys', Reflect.ownKeys],
  ])('%s', (_, shown) => {
    expect(shown(limiterOf(policy).consume('key', { cost: 2 }))).toEqual(shown(fields))
  })

  test('can be refunded, but a copy of it cannot', () => {
    const limiter = limiterOf(policy)
    const decision = limiter.consume('key', { cost: 2 })
    expect(() => limiter.refund({ ...decision })).toThrow('copy of a decision')
    expect(limiter.peek('key').remaining).toBe(1)
    expect([limiter.refund(decision), limiter.refund(decision)]).toEqual([true, false])
    expect(limiter.peek('key').remaining).toBe(3)
  })
})

test('over an asynchronous store, the refund of a copy rejects', async () => {
  const limiter = createLimiter({
    name: 'api',
    policies: gcra({ limit: 3, window: '1h' }),
    store: laterStore(),
  })
  const copy = { ...(await limiter.consume('key')) }
  expect((await rejectionOf(limiter.refund(copy))).code).toBe('SLUICE_DECISION_FOREIGN')
})

describe('a refund', () => {
  const policies = fixedWindow({ limit: 3, window: '1h' })

  test.each<[string, Policies]>([
    ['one policy', policies],
    ['two policies', { first: policies, second: gcra({ limit: 3, window: '1h' }) }],
  ])('believes what the limiter decided, and no changed field: %s', (_, policies) => {
    const limiter = limiterOf(policies)
    for (let i = 0; i < 3; i++) limiter.consume('key')
    const denied = limiter.consume('key')
    expect(Reflect.set(denied, 'allowed', true)).toBe(true)
    expect(limiter.refund(denied)).toBe(false)
    expect(limiter.consume('key').allowed).toBe(false)
  })

  test('is true unless no policy is left to refund', () => {
    let now = today
    const limiter = createLimiter({ name: 'shown', policies, clock: () => now })
    const [first, reset, expired] = [0, 1, 1].map((cost) => limiter.consume('key', { cost }))
    expect([limiter.refund(first), limiter.refund(first)]).toEqual([true, false])
    limiter.reset('key')
    expect([limiter.refund(reset), limiter.peek('key').remaining]).toEqual([true, 3])
    now += 7_200_000
    expect([limiter.refund(expired), limiter.peek('key').remaining]).toEqual([true, 3])
    limiter.exempt('key', '1h')
    expect(limiter.refund(limiter.consume('key'))).toBe(false)
    expect(limiter.refund(limiter.consume('key', { cost: 4 }))).toBe(false)
  })

  test('of an allowed decision whose fields were changed refunds its units', () => {
    const limiter = limiterOf(policies)
    const decision = limiter.consume('key')
    Reflect.set(decision, 'allowed', false)
    expect(limiter.refund(decision)).toBe(true)
  })
})

test('each call checks its options, also those of an earlier call', () => {
  const limiter = limiterOf(fixedWindow({ limit: 3, window: '1h' }))
  const options = { cost: 1 }
  expect(limiter.consume('key', options).allowed).toBe(true)
  Reflect.set(options, 'costs', 2)
  expect(() => limiter.consume('key', options)).toThrow('costs')
})

test('a limiter calls the `run` that an application has put in place of that of its store', () => {
  const store = memoryStore()
  const limiter = createLimiter({ name: 'shown', limit: 3, window: '1h', store })
  expect(limiter.consume('key').remaining).toBe(2)
  const { run } = store
  const seen: string[] = []
  Reflect.set(store, 'run', (request: Parameters<typeof run>[0]) => {
    seen.push(request.verb)
    return run(request)
  })
  expect([limiter.consume('key').remaining, limiter.peek('key').remaining]).toEqual([1, 1])
  expect(seen).toEqual(['consume', 'peek'])
})

describe('used', () => {
  test('is the number of units that count for each policy after the decision', () => {
    const limiter = limiterOf({
      minute: fixedWindow({ limit: 3, window: '1m' }),
      pace: gcra({ limit: 10, window: '1s' }),
      line: leakyQueue({ leak: 1, every: '1s', maxDelay: '5s' }),
      none: unlimited(),
    })
    const used = (cost: number) => {
      const { policies } = limiter.consume('key', { cost })
      return Object.entries(policies).map(([name, verdict]) => [name, verdict.used])
    }
    const before = limiter.peek('key').policies['minute'].used
    expect(before).toBe(0)
    const after = [
      ['minute', 2],
      ['pace', 2],
      ['line', 2],
      ['none', 0],
    ]
    expect(used(2)).toEqual(after)
    // The policy "minute" denies, so the request consumes nothing in any policy.
    expect(used(2)).toEqual(after)
  })

  test('exceeds the limit after a penalty', () => {
    const limiter = limiterOf(fixedWindow({ limit: 3, window: '1m' }))
    limiter.penalize('key', 10)
    expect(limiter.peek('key').policies['default']).toMatchObject({
      used: 10,
      limit: 3,
      remaining: 0,
    })
  })
})
