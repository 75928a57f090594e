import process from 'node:process'
import { setImmediate } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { createLimiter, fixedWindow, memoryStore } from '../../src/index.js'
import { byHeader, byIp, byRoute, byUser } from '../../src/http/index.js'
import { keyReader, sampleKey } from '../../src/http/key-option.js'
import { errorOf, rejectionOf } from '../error-of.js'
import { guardOf, start, syncGuardOf, viewOf, type Options, type Visit } from './visit.js'

const view = viewOf({ user: 'ada' }, { method: 'HEAD', route: '/items/:id' })

test.each<[string, NonNullable<Options['key']>, unknown]>([
  ['a string', 'all', 'all'],
  ['parts', ['tenant', 'a|b'], ['tenant', 'a|b']],
  ['a function', ({ user = '' }) => ['user', user], ['user', 'ada']],
  ['a list of functions', [byIp(), byRoute()], ['ip:192.0.2.1', ['route', 'GET', '/items/:id']]],
  ['a list of both', ['x', ({ user = '' }) => user], ['x', 'ada']],
  ['a list with a part that is null', [byIp(), () => null], null],
  [
    'a record',
    { a: 'all', b: byUser(({ user = null }) => user), c: [byIp()], d: null },
    { a: 'all', b: ['user', 'ada'], c: ['ip:192.0.2.1'], d: null },
  ],
])('reads %s', (_, option, key) => {
  expect(keyReader<Visit>(option)(view)).toEqual(key)
})

test.each<[string, NonNullable<Options['key']>]>([
  ['a function', async () => ['user', 'ada']],
  ['a part', ['user', async () => 'ada']],
  ['parts', [async () => 'user', async () => 'ada']],
])('waits for %s', async (_, option) => {
  const read = keyReader<Visit>(option)(view)
  expect(read).toBeInstanceOf(Promise)
  expect(await read).toEqual(['user', 'ada'])
})

test('waits for those of a record together', async () => {
  const order: string[] = []
  const key = (name: string) => async () => {
    order.push(`${name} asked`)
    await setImmediate()
    order.push(`${name} there`)
    return name
  }
  expect(await keyReader<Visit>({ a: key('a'), b: key('b'), c: 'c' })(view)).toEqual({
    a: 'a',
    b: 'b',
    c: 'c',
  })
  expect(order).toEqual(['a asked', 'b asked', 'a there', 'b there'])
})

test('makes a record whose names are only its own', () => {
  const option = JSON.parse('{ "__proto__": "a", "constructor": "b" }') as Record<string, string>
  const key = keyReader<Visit>(option)(view)
  expect(Object.entries(key as object)).toEqual([
    ['__proto__', 'a'],
    ['constructor', 'b'],
  ])
  expect(Object.entries(sampleKey(option))).toEqual([
    ['__proto__', 'a'],
    ['constructor', 'b'],
  ])
})

test('counts by policies of any name, each by its own key', () => {
  const policies = Object.fromEntries(
    ['__proto__', 'constructor'].map((name) => [name, fixedWindow({ limit: 1, window: '1m' })]),
  )
  const key = Object.fromEntries([
    ['__proto__', ({ user = '' }: Visit) => user],
    ['constructor', () => null],
  ])
  const check = syncGuardOf({ policies, key })
  const actions = [check({ user: 'ada' }), check({ user: 'ada' }), check({ user: 'bob' })]
  expect(actions.map(({ type, decision }) => [type, decision?.deniedBy])).toEqual([
    ['continue', []],
    ['deny', ['__proto__']],
    ['continue', []],
  ])
})

test.each<[string, unknown]>([
  ['undefined', undefined],
  ['nothing', ''],
  ['a number', 5],
  ['false', false],
  ['an object', {}],
  ['an empty list', []],
])('refuses %s as a part or in a record, never a free pass', async (_, wrong) => {
  const find = () => wrong as string
  for (const key of [[find], ['user', find], [byIp(), find]]) {
    const check = syncGuardOf({ limit: 1, window: '1m', key })
    expect(errorOf(() => check()).code).toBe('SLUICE_KEY_INVALID')
  }
  const later = guardOf({ limit: 1, window: '1m', key: { default: async () => find() } })
  expect((await rejectionOf(Promise.resolve(later()))).code).toBe(
    wrong === undefined ? 'SLUICE_KEY_MISSING' : 'SLUICE_KEY_INVALID',
  )
})

test('keeps lists apart whatever their parts hold', () => {
  const store = memoryStore()
  const policy = fixedWindow({ limit: 1, window: '1m' })
  const keys: NonNullable<Options['key']>[] = [
    ['a', 'b', 'c'],
    ['a', 'b|c'],
    ['a|b', 'c'],
    ['a', 'b%7Cc'],
    ['a', () => ['b%7Cc', 'd']],
    ['a', () => ['b', 'c', 'd']],
    ['a', () => ['b', 'c|d']],
  ]
  const types = keys.map((key) => syncGuardOf({ policy, store, name: 'x', key })().type)
  expect(types).toEqual(keys.map(() => 'continue'))
})

test('finds the bucket that others find by the same parts', () => {
  const store = memoryStore()
  const policy = fixedWindow({ limit: 2, window: '1m' })
  syncGuardOf({ policy, store, name: 'x', key: ['user', () => 'auth0|1'] })()
  const limiter = createLimiter({ name: 'x', policies: policy, store, clock: () => start })
  expect(limiter.peek(['user', 'auth0|1']).remaining).toBe(1)
})

test('keeps a part that is a list apart from a client that spells it as a string', () => {
  const store = memoryStore()
  const policy = fixedWindow({ limit: 1, window: '1m' })
  const key: Options['key'] = ['api', ({ user, size }) => (size ? ['user', '42'] : (user ?? ''))]
  const check = syncGuardOf({ policy, store, name: 'x', key })
  expect(check({ size: 1 }).type).toBe('continue')
  expect(check({ user: 'user|42' }).type).toBe('continue')
})

test('hears what another key had promised where one throws at once', async () => {
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
    syncGuardOf({ policies: { a: policy, b: policy }, key: { a: lookUp, b: byHeader('x-key') } }),
    syncGuardOf({ policy, key: [lookUp, byHeader('x-key')] }),
  ]
  for (const check of guards) {
    expect(errorOf(() => check()).code).toBe('SLUICE_HEADER_MISSING')
  }
  for (let turn = 0; turn < 5; turn++) await setImmediate()
  expect(unheard).toEqual([])
})

test('rejects once where several promised keys fail', async () => {
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

test('samples what functions find, and keeps the rest', () => {
  expect(sampleKey(byIp())).toBe('x')
  expect(sampleKey('all')).toBe('all')
  expect(sampleKey(['user', byIp()])).toEqual(['user', 'x'])
  expect(sampleKey({ a: byIp(), b: null, c: ['c', byIp()], d: 'd' })).toEqual({
    a: 'x',
    b: null,
    c: ['c', 'x'],
    d: 'd',
  })
})
