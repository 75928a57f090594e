import { sluiceError } from '../errors.js'
import { after, type Awaitable } from './awaitable.js'

/** What tells one user from another. Null: nobody is logged in, and no user's limit applies. */
export type UserId = string | number | bigint | null

/**
 * The user as a key. Null leaves the policy out, so that a request without a user is limited by the other policies, if there are any;
 * undefined is an error, since a user that is looked up before authentication has run would be no limit at all.
 *
 * @example
 * rateLimit({ policies: { user, address }, key: { user: byUser((req) => req.user?.id ?? null), address: byIp() } })
 * @throws SluiceError at once where `find` is no function, and per request SLUICE_USER_MISSING where it gives undefined
 */
export function byUser<R>(
  find: (request: R) => Awaitable<UserId>,
): (request: R) => Awaitable<readonly string[] | null> {
  if (typeof find !== 'function') {
    const expected = 'a function from the request to the id of its user'
    throw sluiceError('SLUICE_OPTION_INVALID', 'byUser', 'find', find, expected)
  }
  return function keyByUser(request) {
    return after<UserId, readonly string[] | null>(find(request), keyOf)
  }
}

function keyOf(id: UserId): readonly string[] | null {
  if (id === null) return null
  const known = typeof id === 'string' || typeof id === 'number' || typeof id === 'bigint'
  if (!known || id === '' || Number.isNaN(id)) throw sluiceError('SLUICE_USER_MISSING', id)
  return ['user', `${id}`]
}
