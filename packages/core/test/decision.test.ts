import { inspect, isDeepStrictEqual } from 'node:util'
import { describe, expect, test } from 'vitest'
import {
  createLimiter,
  fixedWindow,
  gcra,
  leakyQueue,
  unlimited,
  type Policies,
} from '../src/index.js'

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

describe('a decision is a plain object', () => {
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

  test('for assert.deepStrictEqual', () => {
    expect(isDeepStrictEqual(limiterOf(policy).consume('key', { cost: 2 }), fields)).toBe(true)
  })

  test('that can be refunded, but a copy of it cannot', () => {
    const limiter = limiterOf(policy)
    const decision = limiter.consume('key', { cost: 2 })
    expect(() => limiter.refund({ ...decision })).toThrow('the call names a policy "allowed"')
    expect(limiter.peek('key').remaining).toBe(1)
    expect([limiter.refund(decision), limiter.refund(decision)]).toEqual([true, false])
    expect(limiter.peek('key').remaining).toBe(3)
  })
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
