import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import {
  concurrency,
  createLimiter,
  fixedWindow,
  leakyQueue,
  limited,
  notLimited,
  type DecisionEvent,
  type Limiter,
} from '../../src/index.js'
import { errorOf } from '../error-of.js'
import { forAll, limiterOf, pass, useTimers } from '../limited/limited-bench.js'

const once = fixedWindow({ limit: 1, window: '1m' })

describe('exempt', () => {
  test.each([undefined, 0, -1, 1.5, '', '5', 'forever', Infinity, null])(
    'refuses the length %s',
    (length) => {
      const limiter: Limiter = createLimiter({ name: 'api', policies: once })
      const { code, message } = errorOf(() =>
        Reflect.apply(limiter.exempt, limiter, ['key', length]),
      )
      expect([code, message.includes('"for"')]).toEqual(['SLUICE_OPTION_INVALID', true])
    },
  )

  test.each(['exempt', 'unexempt'] as const)('%s refuses wrong keys and options', (verb) => {
    const limiter: Limiter = createLimiter({ name: 'api', policies: once })
    const call = (key: unknown, options?: unknown) => {
      const args = verb === 'exempt' ? [key, '1m', options] : [key, options]
      return errorOf(() => Reflect.apply(limiter[verb], limiter, args)).code
    }
    expect([call(''), call({ other: 'key' }), call('key', { length: '1m' })]).toEqual([
      'SLUICE_KEY_INVALID',
      'SLUICE_POLICY_NAME_UNKNOWN',
      'SLUICE_OPTION_UNKNOWN',
    ])
  })
})

test('events have the exempt decisions of every method', async () => {
  const seen: DecisionEvent[] = []
  const see = (event: unknown) => void seen.push(event as DecisionEvent)
  const channels = ['sluice:decision', 'sluice:denial']
  for (const channel of channels) subscribe(channel, see)
  onTestFinished(() => channels.forEach((channel) => unsubscribe(channel, see)))
  const limiter = createLimiter({ name: 'api', policies: once })
  limiter.exempt('key', '1m')
  limiter.consume('key', { cost: 2 })
  limiter.consumeMany([{ key: 'key' }, { key: 'other' }])
  await limiter.acquire('key')
  expect(seen.map(({ decision }) => decision.exempt)).toEqual([true, true, undefined, true])
})

test('a decision that is not exempt has the same properties before and after an exemption', () => {
  const limiter = createLimiter({ name: 'api', policies: once })
  const before = Object.keys(limiter.consume('a'))
  limiter.exempt('b', '1m')
  expect(Object.keys(limiter.consume('c'))).toEqual(before)
  expect(Object.keys(limiter.consume('b'))).toEqual([...before, 'exempt'])
})

test.each([
  ['ends before the other policies allow', 20_000, 60_000],
  ['ends when the other policies allow', 30_000, 60_000],
  ['ends after the other policies allow', 30_001, 30_000],
])('the wait of a denial counts a policy whose exemption %s', (_, exemptMs, waitMs) => {
  let now = 0
  const policies = { exempt: once, other: fixedWindow({ limit: 1, window: '30s' }) }
  for (const order of [policies, { other: policies.other, exempt: policies.exempt }]) {
    now = 0
    const limiter = createLimiter({ name: 'api', policies: order, clock: () => now })
    limiter.consume('key')
    limiter.exempt('key', exemptMs, { policies: { exempt: once } })
    const denied = limiter.consume('key')
    expect([denied.retryAfterMs, denied.policies['exempt'].retryAfterMs]).toEqual([waitMs, 0])
    now = waitMs - 1
    expect(limiter.peek('key')).toMatchObject({ allowed: false, retryAfterMs: 1 })
    now = waitMs
    expect(limiter.peek('key').allowed).toBe(true)
  }
})

describe('while calls wait', () => {
  beforeEach(useTimers)
  afterEach(() => void vi.useRealTimers())

  test('a call of acquire for an exempt key does not wait for earlier calls that have a bound', async () => {
    const limiter = limiterOf(once)
    limiter.consume('key')
    const waiting = limiter.acquire('key')
    await pass(0)
    expect(await limiter.acquire('key', { maxWait: '1s' })).toMatchObject({ allowed: false })
    limiter.exempt('key', '30s')
    const decision = await limiter.acquire('key', { maxWait: '1s' })
    expect(decision).toMatchObject({ allowed: true, exempt: true })
    await pass(60_000)
    expect((await waiting).allowed).toBe(true)
  })

  test('a request of an exempt key does not wait for its turn in the queue', async () => {
    const limiter = limiterOf(leakyQueue({ leak: 1, every: '10s', maxDelay: '1m' }))
    await limiter.acquire('key')
    const delayed = limiter.acquire('key')
    await pass(0)
    limiter.exempt('key', '5s')
    expect(await limiter.acquire('key')).toMatchObject({ exempt: true, delayMs: 0 })
    await pass(10_000)
    expect((await delayed).allowed).toBe(true)
  })

  test('a full queue that is exempt does not deny a call that waits for another policy', async () => {
    const queue = leakyQueue({ leak: 1, every: '30s', maxDelay: 0 })
    const limiter = limiterOf({ queue, minute: fixedWindow({ limit: 1, window: '10s' }) })
    await limiter.acquire('key')
    limiter.exempt({ queue: 'key', minute: notLimited }, '1m')
    const waiting = limiter.acquire('key')
    await pass(10_000)
    expect(await waiting).toMatchObject({ allowed: true, deniedBy: [] })
  })
})

test('a limited function of an exempt key runs without a lease', async () => {
  const limiter = createLimiter({ name: 'jobs', policies: concurrency({ limit: 1, lease: '1m' }) })
  const used = () => limiter.status('all').policies['default'].used
  const work = limited(limiter, forAll)(async () => used())
  limiter.consume('all')
  limiter.exempt('all', '1m')
  expect([await work(), await work(), used()]).toEqual([1, 1, 1])
})
