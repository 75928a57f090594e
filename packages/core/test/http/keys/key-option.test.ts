import process from 'node:process'
import { setImmediate } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { createLimiter, fixedWindow, memoryStore, notLimited } from '../../../src/index.js'
import { byHeader, byIp, byRoute, byUser, firstOf } from '../../../src/http/index.js'
import { keyReader, placeholderKey } from '../../../src/http/keys/key-option.js'
import { rejectionOf } from '../../error-of.js'
import { guardOf, start, viewOf, type Options, type Visit } from '../visit.js'

const view = viewOf({ user: 'ada' }, { method: 'HEAD', route: '/items/:id' })

test.each<[string, NonNullable<Options['key']>, unknown]>([
  ['a string', 'all', 'all'],
  ['parts', ['tenant', 'a|b'], ['tenant', 'a|b']],
  ['a function', ({ user = '' }) => ['user', user], ['user', 'ada']],
  ['a list of functions', [byIp(), byRoute()], ['ip:192.0.2.1', 'route', 'GET', '/items/:id']],
  ['a list of both', ['x', ({ user = '' }) => user, 5, () => 6], ['x', 'ada', 5, 6]],
  ['a list with a part that is not limited', [byIp(), () => notLimited], notLimited],
  ['a function that returns a function', ({ user }) => byUser(() => user), ['user', 'ada']],
  [
    'a part from a function that a function returns',
    ['x', () => () => byUser(() => 5)],
    ['x', 'user', '5'],
  ],
  [
    'a record',
    { a: 'all', b: byUser(({ user }) => user), c: [byIp()], d: notLimited, e: () => byIp() },
    { a: 'all', b: ['user', 'ada'], c: ['ip:192.0.2.1'], d: notLimited, e: 'ip:192.0.2.1' },
  ],
])('reads %s', async (_, option, key) => {
  expect(await keyReader<Visit>('api', option)(view.raw, view)).toEqual(key)
})

test.each<[string, NonNullable<Options['key']>]>([
  ['a function', async () => ['user', 'ada']],
  ['a part', ['user', async () => 'ada']],
  ['parts', [async () => 'user', async () => 'ada']],
])('waits for %s', async (_, option) => {
  const read = keyReader<Visit>('api', option)(view.raw, view)
  expect(read).toBeInstanceOf(Promise)
  expect(await read).toEqual(['user', 'ada'])
})

test('waits for the keys of a record together', async () => {
  const order: string[] = []
  const key = (name: string) => async () => {
    order.push(`${name} asked`)
    await setImmediate()
    order.push(`${name} there`)
    return name
  }
  expect(
    await keyReader<Visit>('api', { a: key('a'), b: key('b'), c: 'c' })(view.raw, view),
  ).toEqual({
    a: 'a',
    b: 'b',
    c: 'c',
  })
  expect(order).toEqual(['a asked', 'b asked', 'a there', 'b there'])
})

test('makes a record without inherited names', async () => {
  const option = JSON.parse('{ "__proto__": "a", "constructor": "b" }') as Record<string, string>
  const key = await keyReader<Visit>('api', option)(view.raw, view)
  expect(Object.entries(key as object)).toEqual([
    ['__proto__', 'a'],
    ['constructor', 'b'],
  ])
  expect(Object.entries(placeholderKey(option))).toEqual([
    ['__proto__', 'a'],
    ['constructor', 'b'],
  ])
})

test('counts policies of any name, each by its own key', async () => {
  const policies = Object.fromEntries(
    ['__proto__', 'constructor'].map((name) => [name, fixedWindow({ limit: 1, window: '1m' })]),
  )
  const key = Object.fromEntries([
    ['__proto__', ({ user = '' }: Visit) => user],
    ['constructor', () => notLimited],
  ])
  const check = guardOf({ policies, key })
  const actions = [
    await check({ user: 'ada' }),
    await check({ user: 'ada' }),
    await check({ user: 'bob' }),
  ]
  expect(actions.map(({ type, decision }) => [type, decision?.deniedBy])).toEqual([
    ['continue', []],
    ['deny', ['__proto__']],
    ['continue', []],
  ])
})

test.each<[string, unknown, string]>([
  ['undefined', undefined, 'undefined'],
  ['null', null, 'null'],
  ['nothing', '', 'the string ""'],
  ['false', false, 'false'],
  ['an object', {}, 'an empty object'],
  ['a record of keys', { default: 'a' }, 'an object with the keys "default"'],
  ['an empty list', [], 'an empty list'],
  ['a list', ['138', 'x'], 'a list'],
  ['a fraction', 1.5, '1.5'],
])('refuses %s as a part, and names the part', async (_, wrong, shown) => {
  const find = () => wrong as string
  for (const [key, part] of [
    [[find], 1],
    [['user', find], 2],
    [[byUser(() => 5), find], 2],
    [['user', () => find], 2],
  ] as const) {
    const check = guardOf({ limit: 1, window: '1m', key })
    const { code, status, stack } = await rejectionOf(check())
    expect([code, status]).toEqual(['SLUICE_KEY_INVALID', 400])
    expect(stack).toContain(`limiter "default": part ${part} of the key is ${shown}. `)
  }
  const later = guardOf({ limit: 1, window: '1m', key: { default: ['a', async () => find()] } })
  const { code, status, stack } = await rejectionOf(Promise.resolve(later()))
  expect([code, status]).toEqual(['SLUICE_KEY_INVALID', 400])
  expect(stack).toContain(`part 2 of the key of the policy "default" is ${shown}. `)
})

test.each<[string, unknown]>([
  ['undefined', undefined],
  ['null', null],
  ['nothing', ''],
  ['a number', 5],
  ['false', false],
  ['another symbol', Symbol('notLimited')],
  ['an object', {}],
  ['a record of keys', { default: 'a' }],
  ['a record without a key', { default: null }],
  ['an empty list', []],
  ['a list with a list', ['phone', ['138', 'x']]],
  ['a list with null', ['phone', null]],
  ['a list that is cut off', ['phone', undefined]],
])(
  'refuses %s from a function, for all policies or for one, and does not allow the request',
  async (_, wrong) => {
    const find = () => wrong as string
    for (const key of [find, () => find, { default: find }, firstOf(find)]) {
      const check = guardOf({ limit: 1, window: '1m', key })
      const { code, status } = await rejectionOf(check())
      expect([code, status]).toEqual(['SLUICE_KEY_INVALID', 400])
    }
    const later = guardOf({ limit: 1, window: '1m', key: { default: async () => find() } })
    const { code, status } = await rejectionOf(Promise.resolve(later()))
    expect([code, status]).toEqual(['SLUICE_KEY_INVALID', 400])
  },
)

test('explains how to pass keys for several policies if a function returns a record', async () => {
  const find = () => ({ default: 'a' }) as unknown as string
  const check = guardOf({ limit: 1, window: '1m', key: find })
  expect((await rejectionOf(check())).stack).toContain(
    'limiter "default": the key is an object with the keys "default". A key function returns one key. ' +
      'Pass keys for several policies as the option itself: key: { user: byUser(…), address: byIp() }.',
  )
})

test('refuses a function that returns itself', async () => {
  const endless = () => endless
  const check = guardOf({ limit: 1, window: '1m', key: endless as never })
  expect((await rejectionOf(check())).code).toBe('SLUICE_OPTION_INVALID')
  expect((await rejectionOf(check())).status).toBe(undefined)
  const later = async () => later
  const promised = guardOf({ limit: 1, window: '1m', key: later as never })
  expect((await rejectionOf(Promise.resolve(promised()))).code).toBe('SLUICE_OPTION_INVALID')
})

test('different lists have different keys, whatever their parts contain', async () => {
  const store = memoryStore()
  const policy = fixedWindow({ limit: 1, window: '1m' })
  const keys: NonNullable<Options['key']>[] = [
    ['a', 'b', 'c'],
    ['a', 'b|c'],
    ['a|b', 'c'],
    ['a', 'b%7Cc'],
    ['a', byUser(() => 'b|c')],
    ['a', 'user|b', 'c'],
    () => ['a', 'user', 'b', 'c'],
  ]
  const actions = keys.map(async (key) => guardOf({ policies: policy, store, name: 'x', key })())
  const types = (await Promise.all(actions)).map(({ type }) => type)
  expect(types).toEqual(keys.map(() => 'continue'))
})

test('the same parts have the same key as in a direct call of the limiter', async () => {
  const store = memoryStore()
  const policy = fixedWindow({ limit: 2, window: '1m' })
  await guardOf({ policies: policy, store, name: 'x', key: ['user', () => 'auth0|1'] })()
  const limiter = createLimiter({ name: 'x', policies: policy, store, clock: () => start })
  expect(limiter.peek(['user', 'auth0|1']).remaining).toBe(1)
})

test('a string that looks like the parts of byUser has another key', async () => {
  const policy = fixedWindow({ limit: 1, window: '1m' })
  const key: Options['key'] = ['api', ({ user = '', size }) => (size ? byUser(() => '42') : user)]
  const check = guardOf({ policies: policy, key })
  const spelled = ['user|42', 'user', '|user|42', 'user,42', 'user%7C42'].map((user) => ({ user }))
  const types = await Promise.all(
    [{ size: 1 }, ...spelled, { size: 1 }].map(async (visit) => (await check(visit)).type),
  )
  expect(types).toEqual([...Array<string>(6).fill('continue'), 'deny'])
})

test('the parts of functions have the same key as the same parts in one list', async () => {
  const store = memoryStore()
  const policy = fixedWindow({ limit: 2, window: '1m' })
  const key: Options['key'] = [byIp(), byRoute(), byUser(() => 42)]
  await guardOf({ policies: policy, store, name: 'x', key })({}, { route: '/a' })
  const limiter = createLimiter({ name: 'x', policies: policy, store, clock: () => start })
  const parts = ['ip:192.0.2.1', 'route', 'GET', '/a', 'user', 42]
  expect(limiter.peek(parts).remaining).toBe(1)
})

test('handles the promise of a key if another one throws', async () => {
  const unheard: unknown[] = []
  const hear = (error: unknown) => void unheard.push(error)
  process.on('unhandledRejection', hear)
  onTestFinished(() => void process.off('unhandledRejection', hear))

  const lookUp = async () => {
    await setImmediate()
    throw new Error('no such user')
  }
  const policy = fixedWindow({ limit: 1, window: '1m' })
  const guards = [
    guardOf({ policies: { a: policy, b: policy }, key: { a: lookUp, b: byHeader('x-key') } }),
    guardOf({ policies: policy, key: [lookUp, byHeader('x-key')] }),
  ]
  for (const check of guards) {
    expect((await rejectionOf(check())).code).toBe('SLUICE_HEADER_MISSING')
  }
  for (let turn = 0; turn < 5; turn++) await setImmediate()
  expect(unheard).toEqual([])
})

test('rejects once if several promised keys fail', async () => {
  const fail = (name: string) => async () => {
    throw new Error(name)
  }
  const policy = fixedWindow({ limit: 1, window: '1m' })
  const check = guardOf({
    policies: { a: policy, b: policy },
    key: { a: fail('first'), b: fail('second') },
  })
  await expect(check()).rejects.toThrowError('first')
})

test('replaces functions by placeholders, and keeps the rest', () => {
  expect(placeholderKey(byIp())).toBe('x')
  expect(placeholderKey('all')).toBe('all')
  expect(placeholderKey(['user', byIp()])).toEqual(['user', 'x'])
  expect(placeholderKey({ a: byIp(), b: notLimited, c: ['c', byIp()], d: 'd' })).toEqual({
    a: 'x',
    b: notLimited,
    c: ['c', 'x'],
    d: 'd',
  })
})
