import { expect, test } from 'vitest'
import { byUser, type UserId } from '../../src/http/index.js'
import { errorOf, rejectionOf } from '../error-of.js'
import { syncGuardOf } from './visit.js'

const keyOf = (id: unknown) => byUser(() => id as UserId)({})

test.each<[UserId, unknown]>([
  ['ada', ['user', 'ada']],
  ['auth0|1', ['user', 'auth0|1']],
  [42, ['user', '42']],
  [0, ['user', '0']],
  [2n ** 64n, ['user', '18446744073709551616']],
  [null, null],
])('finds the user %s', (id, key) => {
  expect(keyOf(id)).toEqual(key)
})

test.each([undefined, '', NaN, true, false, {}, [], Symbol('ada')])(
  'refuses the user %s, never a free pass',
  (id) => {
    expect(errorOf(() => keyOf(id)).code).toBe('SLUICE_USER_MISSING')
  },
)

test('waits for a user who is looked up', async () => {
  expect(await byUser(async () => 'ada')({})).toEqual(['user', 'ada'])
  expect(await byUser(async () => null)({})).toBe(null)
  const missing = byUser(async () => undefined as unknown as UserId)({})
  expect((await rejectionOf(Promise.resolve(missing))).code).toBe('SLUICE_USER_MISSING')
})

test('asks about the request', () => {
  const check = syncGuardOf({
    limit: 1,
    window: '1m',
    key: byUser(({ user = null }) => user),
  })
  const types = ['ada', 'ada', 'bob'].map((user) => check({ user }).type)
  expect(types).toEqual(['continue', 'deny', 'continue'])
  expect([check().decision, check().decision]).toEqual([undefined, undefined])
})

test.each([undefined, null, 'id', {}])('refuses %j in the place of a function', (find) => {
  expect(errorOf(() => byUser(find as () => string)).code).toBe('SLUICE_OPTION_INVALID')
})
