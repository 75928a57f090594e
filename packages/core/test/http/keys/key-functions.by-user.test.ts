import { expect, test } from 'vitest'
import { notLimited } from '../../../src/index.js'
import { byUser, firstOf, type UserId } from '../../../src/http/index.js'
import { errorOf, rejectionOf } from '../../error-of.js'
import { guardOf } from '../visit.js'

const keyOf = (id: unknown) => byUser(() => id as UserId)({})

test.each<[UserId, unknown]>([
  ['ada', ['user', 'ada']],
  ['auth0|1', ['user', 'auth0|1']],
  [42, ['user', '42']],
  [0, ['user', '0']],
  [2n ** 64n, ['user', '18446744073709551616']],
  [-1, ['user', '-1']],
  [notLimited, notLimited],
])('finds the user %s', async (id, key) => {
  expect(await keyOf(id)).toEqual(key)
})

test.each([
  [undefined],
  [null],
  [''],
  [NaN],
  [1.5],
  [2 ** 53],
  [true],
  [false],
  [{}],
  [{ default: null }],
  [[]],
  [['ada']],
  [['ada', 'x']],
  [Symbol('ada')],
])('refuses the user %s as an error of the request, and does not allow it', async (id) => {
  const { code, status, statusCode, expose } = await rejectionOf(Promise.resolve(keyOf(id)))
  expect([code, status, statusCode, expose]).toEqual(['SLUICE_USER_MISSING', 400, 400, true])
})

test('refuses an id object as an error of the application, which names its class', async () => {
  for (const find of [
    byUser(() => new Date() as never),
    firstOf(
      byUser(() => new Date() as never),
      () => 'all',
    ),
  ]) {
    const check = guardOf({ limit: 1, window: '1m', key: find })
    const { code, status, message } = await rejectionOf(Promise.resolve(check()))
    expect([code, status]).toEqual(['SLUICE_KEY_OBJECT', undefined])
    expect(message).toContain(
      'the key is an object of the class "Date". Pass its text: String(id).',
    )
  }
})

test('waits for the promise of a user', async () => {
  expect(await byUser(async () => 'ada')({})).toEqual(['user', 'ada'])
  expect(await byUser(async () => notLimited)({})).toBe(notLimited)
  const missing = byUser(async () => null)({})
  expect((await rejectionOf(Promise.resolve(missing))).code).toBe('SLUICE_USER_MISSING')
})

test('passes the request to the function', async () => {
  const check = guardOf({
    limit: 1,
    window: '1m',
    key: byUser(({ user }) => user ?? notLimited),
  })
  const types = await Promise.all(
    ['ada', 'ada', 'bob'].map(async (user) => (await check({ user })).type),
  )
  expect(types).toEqual(['continue', 'deny', 'continue'])
  expect([(await check()).decision, (await check()).decision]).toEqual([undefined, undefined])
})

test.each([undefined, null, 'id', {}])('refuses %j instead of a function', (find) => {
  expect(errorOf(() => byUser(find as () => string)).code).toBe('SLUICE_OPTION_INVALID')
})
