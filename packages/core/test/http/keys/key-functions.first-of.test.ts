import { describe, expect, test } from 'vitest'
import { notLimited } from '../../../src/index.js'
import {
  byHeader,
  byIp,
  byRoute,
  byUser,
  firstOf,
  type KeyAttempt,
} from '../../../src/http/index.js'
import { foundBy } from '../../../src/http/keys/key-functions.js'
import { errorOf, rejectionOf } from '../../error-of.js'
import { guardOf, viewOf, type Visit } from '../visit.js'

const view = viewOf({}, { headers: { 'x-tenant': '' } })
const fails = (error: unknown) => () => {
  throw error
}
const user = byUser(({ user }: Visit) => user)
const keyOf = (...functions: KeyAttempt<Visit>[]) => foundBy(firstOf(...functions), view)

test('limits by the user, or else by the address', async () => {
  const check = guardOf({ limit: 1, window: '1m', key: firstOf(user, byIp()) })
  const types = await Promise.all(
    ['ada', 'ada', 'bob', undefined, undefined].map(
      async (name) => (await check(name === undefined ? {} : { user: name })).type,
    ),
  )
  expect(types).toEqual(['continue', 'deny', 'continue', 'continue', 'deny'])
})

describe('calls the next function', () => {
  test.each<[string, KeyAttempt<Visit>]>([
    ['undefined', () => undefined],
    ['null', () => null],
    ['an empty string', () => ''],
    ['notLimited', () => notLimited],
    ['byUser without a user', byUser(() => undefined)],
    ['byUser that is not limited', byUser(() => notLimited)],
    ['byHeader without the header', byHeader('X-API-Key')],
    ['byHeader with an empty one', byHeader('X-Tenant')],
    ['a function’s function that finds none', () => () => byUser(() => null)],
  ])('after %s, returned or promised', async (_, find) => {
    expect(await keyOf(find, () => 'next')).toBe('next')
    expect(await keyOf(find, find, () => ['next', 5])).toEqual(['next', 5])
    expect(
      await keyOf(
        async () => find,
        () => 'next',
      ),
    ).toBe('next')
    expect(await keyOf(find, async () => 'next')).toBe('next')
  })

  test('after byIp without an address', async () => {
    const found = await foundBy(
      firstOf(byIp(), () => 'next'),
      viewOf({}, { address: undefined }),
    )
    expect(found).toBe('next')
  })

  test('but none after the one that finds a key', async () => {
    const asked: string[] = []
    const find = (name: string, key: string | null) => () => {
      asked.push(name)
      return key
    }
    expect(await keyOf(find('a', null), find('b', 'key'), find('c', 'other'))).toBe('key')
    const promised = keyOf(async () => find('d', null), find('e', null), find('f', 'last'))
    expect(await promised).toBe('last')
    expect(asked).toEqual(['a', 'b', 'd', 'e', 'f'])
  })
})

describe('the last function decides', () => {
  test('that the policy is left out', async () => {
    expect(
      await keyOf(
        () => null,
        () => notLimited,
      ),
    ).toBe(notLimited)
  })

  test('that the request fails, by its own error', async () => {
    expect((await rejectionOf(keyOf(() => null, byHeader('X-API-Key')))).code).toBe(
      'SLUICE_HEADER_MISSING',
    )
  })

  test.each([[null], [undefined], ['']])('that the request fails, by %j', async (none) => {
    const { code, status, message } = await rejectionOf(keyOf(user, () => none))
    expect([code, status]).toEqual(['SLUICE_KEY_INVALID', 400])
    expect(message).toContain('No function of firstOf found a key.')
    const later = rejectionOf(Promise.resolve(keyOf(user, async () => none)))
    expect((await later).code).toBe('SLUICE_KEY_INVALID')
  })
})

describe('cannot be used to avoid a limit', () => {
  test.each<[string, unknown]>([
    ['a record', { default: 'a' }],
    ['an object', {}],
    ['a number', 5],
    ['false', false],
    ['an empty list', []],
    ['a list with a list', ['a', ['b']]],
  ])('by %s instead of a key', async (_, wrong) => {
    const find = () => wrong as string
    const check = guardOf({ limit: 1, window: '1m', key: firstOf(find, byIp()) })
    expect((await rejectionOf(check())).code).toBe('SLUICE_KEY_INVALID')
    const later = guardOf({ limit: 1, window: '1m', key: firstOf(async () => find(), byIp()) })
    expect((await rejectionOf(Promise.resolve(later()))).code).toBe('SLUICE_KEY_INVALID')
  })

  test.each<[string, unknown]>([
    ['an error of the application', new Error('no database')],
    ['a coded error of another kind', errorOf(() => byRoute()({}, view))],
    ['undefined', undefined],
  ])('by %s', async (_, error) => {
    const caught = await Promise.allSettled([
      (async () => keyOf(fails(error), () => 'next'))(),
      (async () =>
        keyOf(
          async () => fails(error)(),
          () => 'next',
        ))(),
    ])
    expect(caught).toEqual([
      { status: 'rejected', reason: error },
      { status: 'rejected', reason: error },
    ])
  })
})

test('calls no function twice when the last one fails', async () => {
  let calls = 0
  const count = (): null => {
    calls++
    return null
  }
  await rejectionOf(keyOf(count, count, byHeader('X-API-Key')))
  expect(calls).toBe(2)
})

test('inserts the parts of the functions of this package into a list, and refuses lists of other functions', async () => {
  const parts = guardOf({ limit: 1, window: '1m', key: [firstOf(user, byIp()), byRoute()] })
  const types = await Promise.all(
    [{ user: 'ada' }, {}, { user: 'ada' }, {}].map(
      async (visit) => (await parts(visit, { route: '/a' })).type,
    ),
  )
  expect(types).toEqual(['continue', 'continue', 'deny', 'deny'])
  const own = guardOf({ limit: 1, window: '1m', key: ['x', firstOf(() => ['a', 'b'])] })
  expect((await rejectionOf(own())).stack).toContain('part 2 of the key is a list')
})

test.each([[[]], [[undefined]], [[byIp(), null]], [['ip']], [[{}]]])('refuses %j', (functions) => {
  const { code, message } = errorOf(() => firstOf(...(functions as never[])))
  expect(code).toBe('SLUICE_OPTION_INVALID')
  expect(message.startsWith('firstOf: "functions" is ')).toBe(true)
})
