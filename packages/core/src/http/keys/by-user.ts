import { sluiceError } from '../../errors.js'
import { isNotLimited, type NotLimited } from '../../keys.js'
import { after, type Awaitable } from '../awaitable.js'
import { codedParts } from './coded-parts.js'

/**
 * The id of a user: a non-empty string or a whole number; `42` and `'42'` are the same user. `notLimited`: the policy does not apply to this
 * request. Null and undefined are no user: an error (status 400), or the next function of `firstOf`.
 */
export type UserId = string | number | bigint | NotLimited | null | undefined

/**
 * The user as a key. A request without a user is an error: a client could have left its user out, or authentication has not run yet. To limit
 * such requests by another key, use `firstOf`; to leave the policy out for them, return `notLimited`.
 *
 * @example
 * rateLimit({ limit: 100, window: '1m', key: firstOf(byUser((req) => req.user?.id), byIp()) })
 * @throws SluiceError at once where `find` is no function, and per request SLUICE_USER_MISSING (status 400) where it gives no id
 */
export function byUser<R>(
  find: (request: R) => Awaitable<UserId>,
): (request: R) => Awaitable<readonly string[] | NotLimited> {
  if (typeof find !== 'function') {
    const expected = 'a function from the request to the id of its user'
    throw sluiceError('SLUICE_OPTION_INVALID', 'byUser', 'find', find, expected)
  }
  return function keyByUser(request) {
    return after<UserId, readonly string[] | NotLimited>(find(request), keyOf)
  }
}

function keyOf(id: UserId): readonly string[] | NotLimited {
  if (isNotLimited(id)) return id
  const known =
    typeof id === 'string' ? id !== '' : typeof id === 'bigint' || Number.isSafeInteger(id)
  if (!known) throw sluiceError('SLUICE_USER_MISSING', id)
  return codedParts('user', `${id}`)
}
