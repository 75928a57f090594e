import {
  createLimiter,
  fixedWindow,
  redisStore,
  slidingWindow,
  type Key,
  type Limiter,
} from '@sluice/core'
import { useRedis } from '@sluice/test-kit/redis'
import { describe, expect, test } from 'vitest'
import { redisView } from '../src/index.js'
import { serveDashboard } from './served.js'

const redis = useRedis()

const hostile: readonly (readonly [string, Key])[] = [
  ['markup', '<img src=x onerror=alert(1)>'],
  ['a script', '</script><script>alert(1)</script>'],
  ['right-to-left text', '\u202eברוכים\u200f הבאים'],
  ['300 characters', 'x'.repeat(300)],
  ['300 characters of two bytes', '漢'.repeat(300)],
  ['emoji', '👩\u200d👩\u200d👧\u200d👦🏳\ufe0f\u200d🌈'],
  ['the beginning of a list', '|user|42'],
  ['the beginning of an escape', '%7Cuser'],
  ['the beginning of a hash', '%#abc'],
  ['a hash', `%#${'a'.repeat(64)}`],
  ['a list', ['user', 42]],
  ['a list with separators', ['a|b', '%', '{x}']],
  ['braces', '{}{'],
  ['line ends and quotes', 'a\r\n"b"\'c\'\\'],
  ['a null character', 'a\0b'],
  ['a lone surrogate', 'a\ud800b'],
  ['another lone surrogate', 'a\udc00b'],
  ['the prototype', '__proto__'],
  ['a query', '?a=1&b=2#c'],
  ['spaces', '  a  '],
]

/** Keys that differ from a hostile one by little. They must never be reached by its acts. */
function neighbours(key: Key): readonly Key[] {
  return hostile.map(([, other]) => other).filter((other) => other !== key)
}

const policies = fixedWindow({ limit: 1, window: '10m' })
let made = 0

describe.each<[string, () => Limiter]>([
  ['in memory', () => createLimiter({ name: `keys-${made++}`, policies })],
  [
    'over Redis',
    () =>
      createLimiter({
        name: `keys-${made++}`,
        policies,
        store: redisStore(redis.connection, { timeout: '10s' }),
      }),
  ],
])('a limiter %s', (_, make) => {
  test.each(hostile)(
    'is shown, and acted upon as it is listed, with a key of %s',
    async (_, key) => {
      const limiter = make()
      const board = await serveDashboard({ limiters: { limiter } })
      for (const other of [key, key, ...neighbours(key)]) await limiter.consume(other)
      const [{ name, denied }] = (await board.view()).limiters
      const [{ key: text }] = denied
      expect(denied.length).toBe(1)

      const looked = await board.key(name, { exact: text })
      expect(looked).toMatchObject({ limiter: name, key: text, policies: [{ used: 1 }] })
      const acted = await board.act({ limiter: name, key: text, act: 'reset', reason: 'a test' })
      expect(acted).toMatchObject({
        status: 200,
        body: { ok: true, key: { key: text, policies: [{ used: 0 }] } },
      })
      expect((await limiter.peek(key)).allowed).toBe(true)
      for (const other of neighbours(key)) {
        expect([other, (await limiter.peek(other)).allowed]).toEqual([other, false])
      }
      expect((await board.view()).limiters[0].denied).toEqual([])
    },
  )

  test.each(hostile.filter(([, key]) => !/\p{Surrogate}/u.test(String(key))))(
    'is looked up by the text that is shown, with a key of %s',
    async (_, key) => {
      const limiter = make()
      const board = await serveDashboard({ limiters: { limiter } })
      for (const other of [key, key, ...neighbours(key)]) await limiter.consume(other)
      const [{ name, denied }] = (await board.view()).limiters
      const [{ key: text }] = denied
      expect(await board.key(name, { key: text })).toMatchObject({
        key: text,
        policies: [{ used: 1 }],
      })
    },
  )
})

test('a text that no key is counted as is a key of the application', async () => {
  const limiter = createLimiter({ name: 'texts', policies })
  const board = await serveDashboard({ limiters: { limiter } })
  const keys = ['%plain', '|', 'x'.repeat(257)]
  for (const key of keys) {
    await board.act({ limiter: 'texts', key, act: 'block', length: '1m', reason: 'a test' })
    expect([key, limiter.peek(key).allowed]).toEqual([key, false])
  }
})

describe('the role `read`', () => {
  const reading = { authorize: () => 'read' as const }

  test('sees no keys: neither in lists, nor in the answer about a key, nor in a search', async () => {
    const limiter = createLimiter({
      name: 'hidden',
      policies,
      store: redisStore(redis.connection, { timeout: '10s' }),
    })
    const share = redisView(redis.connection)
    const board = await serveDashboard({ limiters: { limiter }, share, ...reading })
    for (const key of ['ann@a.example', 'ann@a.example', 'bob@a.example']) {
      await limiter.consume(key)
    }
    await limiter.block('cho@a.example', '1h')
    const view = await board.view()
    const [{ denied, top }] = view.limiters
    expect([denied, top.requests.keys].map((keys) => keys.map(({ key }) => key))).toEqual([
      ['(hidden)'],
      ['(hidden)', '(hidden)'],
    ])
    const looked = await board.key('hidden', { key: 'ann@a.example' })
    const found = await board.search('hidden')
    expect([looked.key, looked.policies[0].used]).toEqual(['(hidden)', 1])
    expect(found.keys.map(({ key }) => key)).toEqual(['(hidden)'])
    expect(JSON.stringify([view, looked, found])).not.toContain('a.example')
    expect(view.isMasked).toBe(true)
  })

  test('sees what `mask` returns, which the role `write` does not', async () => {
    const limiter = createLimiter({ name: 'masked', policies })
    const mask = (key: string): string => `${key.slice(0, 2)}…`
    const reader = await serveDashboard({ limiters: { limiter }, mask, ...reading })
    const writer = await serveDashboard({ limiters: { limiter }, mask })
    for (const key of ['ann', 'ann']) limiter.consume(key)
    const shown = await Promise.all([reader, writer].map(async (board) => board.view()))
    expect(shown.map(({ limiters: [{ denied }] }) => denied[0].key)).toEqual(['an…', 'ann'])
    expect(shown.map(({ isMasked = false }) => isMasked)).toEqual([true, false])
    const looked = await Promise.all(
      [reader, writer].map(async (board) => board.key('masked', { key: 'ann' })),
    )
    expect(looked.map(({ key }) => key)).toEqual(['an…', 'ann'])
  })
})

describe('a limiter whose policies have different keys', () => {
  const limits = {
    minute: fixedWindow({ limit: 1, window: '1m' }),
    hour: fixedWindow({ limit: 9, window: '1h' }),
    address: slidingWindow({ limit: 1, window: '1m' }),
  }

  test('an act reaches the policies that count by the key', async () => {
    const limiter = createLimiter({ name: 'several', policies: limits })
    const board = await serveDashboard({ limiters: { limiter } })
    const request = { minute: 'ann', hour: 'ann', address: '192.0.2.1' }
    for (let i = 0; i < 2; i++) limiter.consume(request)
    const [{ denied }] = (await board.view()).limiters
    expect(denied.map(({ key }) => key)).toContain('ann')
    const names = (await board.key('several', { exact: 'ann' })).policies.map(({ name }) => name)
    expect(names).toEqual(['minute', 'hour'])
    await board.act({
      limiter: 'several',
      key: 'ann',
      act: 'block',
      length: '1h',
      reason: 'a test',
    })
    const blocked = Object.entries(limiter.status('ann').policies).map(([name, { blockedMs }]) => [
      name,
      blockedMs > 0,
    ])
    expect(blocked).toEqual([
      ['minute', true],
      ['hour', true],
      ['address', false],
    ])
  })

  test('an act reaches a policy whose window for the key has expired, if it counts by the same key', async () => {
    let now = Date.UTC(2026, 0, 1)
    const limiter = createLimiter({ name: 'several', policies: limits, clock: () => now })
    const board = await serveDashboard({ limiters: { limiter } })
    limiter.consume({ minute: 'ann', hour: 'ann', address: '192.0.2.1' })
    now += 61_000
    const { policies } = await board.key('several', { exact: 'ann' })
    expect(policies.map(({ name, used }) => [name, used])).toEqual([
      ['minute', 0],
      ['hour', 1],
    ])
    await board.act({
      limiter: 'several',
      key: 'ann',
      act: 'block',
      length: '1h',
      reason: 'a test',
    })
    const { minute, hour, address } = limiter.status('ann').policies
    expect([minute, hour, address].map(({ blockedMs }) => blockedMs > 0)).toEqual([
      true,
      true,
      false,
    ])
  })

  test('an act on a key that no policy knows reaches all of them', async () => {
    const limiter = createLimiter({ name: 'several', policies: limits })
    const board = await serveDashboard({ limiters: { limiter } })
    await board.act({
      limiter: 'several',
      key: 'new',
      act: 'block',
      length: '1h',
      reason: 'a test',
    })
    const blocked = Object.values(limiter.status('new').policies).map(
      ({ blockedMs }) => blockedMs > 0,
    )
    expect(blocked).toEqual([true, true, true])
  })
})
