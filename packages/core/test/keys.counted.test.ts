import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import fc from 'fast-check'
import { afterEach, describe, expect, test } from 'vitest'
import { runs } from '@sluice/test-kit/random'
import { countedKey, createLimiter, slidingWindow, type DecisionEvent } from '../src/index.js'
import { joinKey } from '../src/keys.js'
import { errorOf } from './error-of.js'

const part = fc.oneof(
  fc.string({ unit: 'binary', minLength: 1, maxLength: 300 }),
  fc.stringMatching(/^[%|{}:#a2570C]{1,6}$/),
)

test('is counted as the key whose form it is', () => {
  const key = fc.oneof(part, fc.array(part, { minLength: 1, maxLength: 4 }))
  fc.assert(
    fc.property(key, (given) => {
      const form = joinKey(given) ?? ''
      expect(joinKey(countedKey(form))).toBe(form)
      expect(countedKey(form).toString()).toBe(form)
    }),
    { numRuns: runs(1000) },
  )
})

test.each([
  ['no text', ''],
  ['a list of one part', '|user'],
  ['a list with an empty part', '|user|'],
  ['an escape that lists do not have', '|user|%41'],
  ['an escape at the beginning of a plain string', '%41'],
  ['a short hash', '%#abc'],
  ['more than 256 characters', 'x'.repeat(257)],
  ['a list', ['user', 42]],
  ['another type', 42],
  ['a counted key', countedKey('ann')],
])('refuses %s', (_, text) => {
  expect(errorOf(() => Reflect.apply(countedKey, undefined, [text])).code).toBe(
    'SLUICE_OPTION_INVALID',
  )
})

test('is nothing that JSON contains', () => {
  const texts = [JSON.stringify(countedKey('ann')), '{"@sluice/core:CountedKey":true}']
  const given: unknown[] = texts.map((text) => JSON.parse(text))
  expect(given.map(joinKey)).toEqual([undefined, undefined])
})

describe('the methods of a limiter', () => {
  const seen: DecisionEvent[] = []
  const see = (event: unknown) => seen.push(event as DecisionEvent)
  const limiter = createLimiter({
    name: 'api',
    clock: () => 1_800_000_000_000,
    policies: {
      burst: slidingWindow({ limit: 2, window: '1m' }),
      hour: slidingWindow({ limit: 5, window: '1h' }),
    },
  })

  afterEach(() => {
    unsubscribe('sluice:decision', see)
    seen.length = 0
  })

  test.each([
    ['a plain string', 'ann'],
    ['a list', ['user', 42]],
    ['a string that begins like a list', '|user|42'],
    ['a long string', 'long'.repeat(100)],
  ])('take the key of an event: %s', (_, key) => {
    subscribe('sluice:decision', see)
    limiter.consume(key)
    const [{ keys }] = seen
    const counted = countedKey(keys['burst'])
    expect(limiter.peek(counted)).toEqual(limiter.peek(key))
    expect(limiter.peek({ burst: counted, hour: key })).toEqual(limiter.peek(key))
    expect(limiter.status(counted).policies['hour'].used).toBe(1)
    expect(limiter.consume(counted).remaining).toBe(0)
    expect(limiter.consume(key).allowed).toBe(false)
    limiter.reset(counted)
    expect(limiter.consumeMany([{ key: counted }])[0].remaining).toBe(1)
    limiter.penalize(counted, 1)
    expect(limiter.consume(key).allowed).toBe(false)
    limiter.reset(counted)
    limiter.block(counted, '1m')
    expect(limiter.peek(key).allowed).toBe(false)
    limiter.unblock(counted)
    expect(limiter.peek(key).allowed).toBe(true)
    limiter.exempt(counted, '1m')
    expect(limiter.peek(key).exempt).toBe(true)
    limiter.unexempt(counted)
    expect('exempt' in limiter.peek(key)).toBe(false)
  })
})
