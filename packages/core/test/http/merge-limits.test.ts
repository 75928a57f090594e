import { expect, test } from 'vitest'
import { fixedWindow, memoryStore, slidingWindow } from '../../src/index.js'
import { accessList, byIp, mergeLimits, type RateLimitOptions } from '../../src/http/index.js'

type Options = RateLimitOptions<{ readonly size: number }, never>

const hour: Options = { limit: 3, window: '1h' }
const second: Options = { limit: 1, window: '1s' }

function mergedOf(...list: (Options & { name?: string })[]) {
  return mergeLimits(
    list.map((options, at) => {
      const { name } = options
      return { at, options, name: name ?? 'route', derived: name === undefined }
    }),
  )
}

function namesOf(...list: Options[]): string[] {
  return mergedOf(...list).map(({ name }) => name)
}

test('limits that differ only in their policies are merged, at the position of the first', () => {
  const key = 'all'
  const policy = fixedWindow({ limit: 5, window: '1d' })
  const [merged, ...others] = mergedOf(
    { ...hour, key },
    { ...second, key: 'other' },
    { policies: policy, key },
  )
  expect(merged).toMatchObject({ at: 0, name: 'route' })
  expect(merged.options.policies).toEqual({
    default: slidingWindow({ limit: 3, window: '1h' }),
    'default #2': policy,
  })
  expect(Object.keys(merged.options)).toEqual(['key', 'policies'])
  expect(others.map(({ at, name }) => [at, name])).toEqual([[1, 'route #2']])
})

test('a number is appended to a policy name that is taken', () => {
  const policies = {
    a: fixedWindow({ limit: 5, window: '1d' }),
    'default #2': fixedWindow({ limit: 6, window: '1d' }),
  }
  const [{ options }] = mergedOf(hour, { policies }, second, { policies })
  expect(Object.keys(options.policies ?? {})).toEqual([
    'default',
    'a',
    'default #2',
    'default #3',
    'a #2',
    'default #2 #2',
  ])
})

test('requests with the same limits share one object of policies', async () => {
  const [{ options }, ...others] = mergedOf(hour, { window: '1s', limit: ({ size }) => size })
  expect(others).toEqual([])
  const { policies } = options
  if (typeof policies !== 'function') throw new Error('the policies are no function')
  const [one, again, two] = [policies({ size: 1 }), policies({ size: 1 }), policies({ size: 2 })]
  expect(again).toBe(one)
  expect(two).not.toBe(one)
  expect(two).toMatchObject({ default: { limit: 3 }, 'default #2': { limit: 2 } })
})

test.each<[string, Options, Options]>([
  ['the same store', { store: memoryStore() }, {}],
  ['equal parts of a key', { key: ['a', byIp()] }, {}],
  ['the key that is the default', { key: byIp() }, { key: byIp({ ipv6: 64 }) }],
  ['equal objects', { wait: { max: '1s' } }, { wait: { max: '1s' } }],
])('limits with %s are merged', (_, shared, own) => {
  const key = Array.isArray(shared.key) ? { key: [...shared.key] } : {}
  expect(namesOf({ ...hour, ...shared }, { ...second, ...shared, ...key, ...own })).toEqual([
    'route',
  ])
})

test.each<[string, Options, Options]>([
  ['stores', { store: memoryStore() }, { store: memoryStore() }],
  ['lists', { allow: accessList([]) }, { allow: accessList([]) }],
  ['subnets', { key: byIp() }, { key: byIp({ ipv6: 56 }) }],
  ['key functions', { key: () => 'all' }, { key: () => 'all' }],
  ['lengths of a key', { key: ['a'] }, { key: ['a', 'b'] }],
  ['waits', { wait: { max: '1s' } }, { wait: { max: '2s' } }],
  ['forms of an option', { deny: ['a'] }, { deny: accessList(['a']) }],
])('limits with different %s are not merged', (_, one, other) => {
  expect(namesOf({ ...hour, ...one }, { ...second, ...other })).toEqual(['route', 'route #2'])
})

test('a limit without a key is merged with one with byIp()', () => {
  expect(namesOf(hour, { ...second, key: byIp() })).toEqual(['route'])
  expect(namesOf(hour, { ...second, key: byIp({ ipv6: 56 }) })).toEqual(['route', 'route #2'])
})

test.each<[string, Options]>([
  ['keys by policy', { key: { default: 'all' } }],
  ['policies that a success resets', { resetOn: { success: ['default'] } }],
])('limits that name policies, by %s, are not merged', (_, shared) => {
  expect(namesOf({ ...hour, ...shared }, { ...second, ...shared })).toEqual(['route', 'route #2'])
})

test('policies of each request are not merged', () => {
  const policies = () => fixedWindow({ limit: 5, window: '1d' })
  expect(namesOf({ policies }, second, { policies })).toEqual(['route', 'route #2', 'route #3'])
})

test('a limit with a name is merged with others of the same name', () => {
  const named = { name: 'search' }
  expect(
    namesOf({ ...hour, ...named }, second, { ...second, ...named }, { ...hour, cost: 2, ...named }),
  ).toEqual(['search', 'route #2', 'search'])
})
