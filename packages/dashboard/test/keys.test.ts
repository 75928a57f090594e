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
import { serveDashboard, type Served } from './served.js'

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
  test.each(hostile)('is shown, and acted upon by its id, with a key of %s', async (_, key) => {
    const limiter = make()
    const board = await serveDashboard({ limiters: { limiter } })
    for (const other of [key, key, ...neighbours(key)]) await limiter.consume(other)
    const [{ name, denied }] = (await board.view()).limiters
    const [{ id, key: text }] = denied
    expect(denied.length).toBe(1)

    const looked = await board.key(name, { id })
    expect(looked).toMatchObject({ limiter: name, key: text, policies: [{ used: 1 }] })
    expect((await board.key(name, { id: looked.id })).key).toBe(text)
    const acted = await board.act({ limiter: name, id, act: 'reset', reason: 'a test' })
    expect(acted).toMatchObject({
      status: 200,
      body: { ok: true, key: { key: text, policies: [{ used: 0 }] } },
    })
    expect((await limiter.peek(key)).allowed).toBe(true)
    for (const other of neighbours(key)) {
      expect([other, (await limiter.peek(other)).allowed]).toEqual([other, false])
    }
    expect((await board.view()).limiters[0].denied).toEqual([])
  })

  test.each(hostile.filter(([, key]) => !/\p{Surrogate}/u.test(String(key))))(
    'is acted upon by the text that is shown, with a key of %s',
    async (_, key) => {
      const limiter = make()
      const board = await serveDashboard({ limiters: { limiter } })
      for (const other of [key, key, ...neighbours(key)]) await limiter.consume(other)
      const [{ name, denied }] = (await board.view()).limiters
      const [{ id, key: text }] = denied
      for (const named of [{ id }, { key: text }]) {
        expect(await board.key(name, named)).toMatchObject({ key: text, policies: [{ used: 1 }] })
      }
      const acted = await board.act({ limiter: name, key: text, act: 'reset', reason: 'a test' })
      expect(acted.status).toBe(200)
      expect((await limiter.peek(key)).allowed).toBe(true)
      for (const other of neighbours(key)) {
        expect([other, (await limiter.peek(other)).allowed]).toEqual([other, false])
      }
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

test('a masked key is looked at and acted upon by its id', async () => {
  const limiter = createLimiter({ name: 'masked', policies })
  const board = await serveDashboard({ limiters: { limiter }, mask: () => '***' })
  for (const key of ['ann', 'ann', 'bob', 'bob', 'bob']) limiter.consume(key)
  const [{ denied }] = (await board.view()).limiters
  expect(denied.map(({ key, denials }) => [key, denials])).toEqual([
    ['***', 2],
    ['***', 1],
  ])
  const { body } = await board.act({
    limiter: 'masked',
    id: denied[1].id,
    act: 'reset',
    reason: 'a test',
  })
  expect(body.key).toMatchObject({ key: '***', policies: [{ used: 0 }] })
  expect([limiter.peek('ann').allowed, limiter.peek('bob').allowed]).toEqual([true, false])
})

test('a visitor cannot compute the id of a key', async () => {
  const limiter = createLimiter({ name: 'ids', policies })
  const boards = [
    await serveDashboard({ limiters: { limiter } }),
    await serveDashboard({ limiters: { limiter } }),
  ]
  limiter.consume('ann')
  const [first, second] = await Promise.all(boards.map(async (board) => board.view()))
  const [one, other] = [first, second].map(({ limiters }) => limiters[0].top.requests.keys[0])
  expect([one.key, other.key, one.id === other.id]).toEqual(['ann', 'ann', false])
})

test('the id of a key that was looked at is read with the same secret and the same limiter only', async () => {
  const limiters = Object.fromEntries(
    ['ids', 'other'].map((name) => [name, createLimiter({ name, policies })]),
  )
  const [board, stranger] = [await serveDashboard({ limiters }), await serveDashboard({ limiters })]
  const { id } = await board.key('ids', { key: 'ann' })
  expect(Buffer.from(id, 'base64url').toString('latin1')).not.toContain('ann')
  expect(await board.key('ids', { id })).toMatchObject({ key: 'ann', id })
  const changed = `${id.slice(0, -4)}${id.endsWith('AAAA') ? 'BBBB' : 'AAAA'}`
  const wrong: readonly (readonly [Served, string, string])[] = [
    [board, 'other', id],
    [stranger, 'ids', id],
    [board, 'ids', changed],
    [board, 'ids', id.slice(0, 24)],
  ]
  for (const [asked, name, given] of wrong) {
    await expect(asked.key(name, { id: given })).rejects.toThrow('SLUICE_VIEW_KEY_UNKNOWN')
  }
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
    const ofUser = denied.find(({ key }) => key === 'ann')
    const { id = '' } = ofUser ?? {}
    const names = (await board.key('several', { id })).policies.map(({ name }) => name)
    expect(names).toEqual(['minute', 'hour'])
    await board.act({ limiter: 'several', id, act: 'block', length: '1h', reason: 'a test' })
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
    const [{ top }] = (await board.view()).limiters
    const { id = '' } = top.requests.keys.find(({ key }) => key === 'ann') ?? {}
    const { policies } = await board.key('several', { id })
    expect(policies.map(({ name, used }) => [name, used])).toEqual([
      ['minute', 0],
      ['hour', 1],
    ])
    await board.act({ limiter: 'several', id, act: 'block', length: '1h', reason: 'a test' })
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
