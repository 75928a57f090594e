import { expect, test } from 'vitest'
import {
  createLimiter,
  fixedWindow,
  notLimited,
  type Decision,
  type Keys,
} from '../../src/index.js'
import { rejectionOf } from '../error-of.js'

const hourly = fixedWindow({ limit: 1, window: '1h' })

/** A limiter with this number of waiting calls. */
function crowded(waiters: number, keyOf: (i: number) => string) {
  const limiter = createLimiter({ name: 'api', policies: hourly })
  const leaving = new AbortController()
  const { signal } = leaving
  for (let i = 0; i < waiters; i++) limiter.consume(keyOf(i))
  const waiting = Array.from({ length: waiters }, (_, i) => limiter.acquire(keyOf(i), { signal }))
  return {
    limiter,
    async leave(): Promise<string[]> {
      leaving.abort('left')
      const outcomes = await Promise.allSettled(waiting)
      return [
        ...new Set(outcomes.map((end) => (end.status === 'rejected' ? end.reason : 'allowed'))),
      ]
    },
  }
}

test.each([
  ['different keys', (i: number) => `key ${i}`],
  ['one key', () => 'key 0'],
])(
  'ten thousand calls can wait, and a further call that would wait is denied at once: %s',
  async (_, keyOf) => {
    const { limiter, leave } = crowded(9999, keyOf)
    const leaving = new AbortController()
    const last = limiter.acquire('key 0', { signal: leaving.signal })
    const decisions: Decision[] = []
    for (const key of ['key 0', 'stranger', 'stranger']) decisions.push(await limiter.acquire(key))
    expect(decisions.map(({ allowed, deniedBy }) => [allowed, deniedBy])).toEqual([
      [false, ['default']],
      [true, []],
      [false, ['default']],
    ])
    expect(await Promise.race([last, 'waits'])).toBe('waits')
    leaving.abort('left')
    await expect(last).rejects.toBe('left')
    expect(await leave()).toEqual(['left'])
    const waitsAgain = await Promise.race([limiter.acquire('key 0', { maxWait: '2h' }), 'waits'])
    expect(waitsAgain).toBe('waits')
  },
)

test('a key can have a million characters, in each form of keys', async () => {
  const long = 'x'.repeat(1_000_000)
  const limiter = createLimiter({ name: 'api', policies: { one: hourly, other: hourly } })
  const keys: Keys[] = [long, { one: long, other: `${long}y` }, { one: long, other: notLimited }]
  for (const key of keys) {
    expect((await limiter.acquire(key)).allowed).toBe(true)
    limiter.reset(long)
    limiter.reset(`${long}y`)
  }
})

test.each<[string, unknown]>([
  ['a big integer', 5n],
  ['undefined', undefined],
  ['null', null],
  ['a symbol', Symbol('key')],
  ['a list that is not a key', [{}]],
  ['an object that contains itself', circle()],
  ['a record with a big integer', { one: 5n, other: 'a' }],
])('an invalid key is an error with a code: %s', async (_, key) => {
  const limiter = createLimiter({ name: 'api', policies: { one: hourly, other: hourly } })
  const { code } = await rejectionOf(limiter.acquire(key as Keys))
  expect(['SLUICE_KEY_INVALID', 'SLUICE_POLICY_NAME_UNKNOWN']).toContain(code)
})

test('different keys with similar texts do not wait for each other', async () => {
  const limiter = createLimiter({ name: 'api', policies: { one: hourly, other: hourly } })
  const { signal } = new AbortController()
  const record = { one: 'a', other: 'b' }
  const written = '[["one","a"],["other","b"]]'
  const alike: Keys[] = [written, `each ${written}`, 'one a', ['one', 'a']]
  limiter.consume(record)
  const waiting = limiter.acquire(record, { signal })
  for (const key of alike) expect((await limiter.acquire(key)).allowed).toBe(true)
  expect(await Promise.race([waiting, 'waits'])).toBe('waits')
})

function circle(): object {
  const itself: Record<string, unknown> = {}
  itself['one'] = itself
  return itself
}
