import { expect, test } from 'vitest'
import { createLimiter, gcra } from '../../src/index.js'

const policies = gcra({ limit: 1, window: '1m' })
const last = 2 ** 47 - 1

const wrong: readonly (readonly [string, unknown])[] = [
  ['microseconds', 1_763_683_200_000_000],
  ['a time that six bytes cannot keep', last + 1],
  ['a time before the epoch', -1],
  ['not a number', Number.NaN],
  ['an infinite time', Infinity],
  ['a bigint', 1n],
  ['a date', new Date()],
  ['a text', '1'],
  ['nothing', undefined],
]

/** A clock that TypeScript would refuse. */
function clockOf(value: unknown): () => number {
  const clock: { now?: () => number } = {}
  Reflect.set(clock, 'now', () => value)
  return clock.now ?? Date.now
}

test.each(wrong)('a clock that returns %s is refused, and nothing is allowed', (_, value) => {
  const limiter = createLimiter({ name: 'a', policies, clock: clockOf(value) })
  expect(() => limiter.consume('key')).toThrow(
    expect.objectContaining({ code: 'SLUICE_CLOCK_INVALID' }),
  )
})

test('the first and the last time are times', () => {
  for (const now of [0, last]) {
    const limiter = createLimiter({ name: 'a', policies, clock: () => now })
    expect(limiter.consume('key').allowed).toBe(true)
  }
})

test('a fraction of a millisecond is cut off', () => {
  let now = 1000.9
  const limiter = createLimiter({ name: 'a', policies, clock: () => now })
  limiter.consume('key')
  now = 60_999.9
  expect(limiter.peek('key').retryAfterMs).toBe(1)
})
