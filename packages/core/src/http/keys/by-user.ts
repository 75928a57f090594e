import { sluiceError } from '../../errors.js'
import { isNotLimited, type NotLimited } from '../../keys.js'
import { after, type Awaitable } from '../awaitable.js'
import { codedParts } from './coded-parts.js'

/**
 * The id of a user: a non-empty string or a whole number; `42` and `'42'` are the same user. With `notLimited`, the policy does not apply to the
 * request. Null and undefined mean that the request has no user: an error (status 400), or the next function of `firstOf`.
 */
export type UserId = string | number | bigint | NotLimited | null | undefined

/**
 * Uses the user as the key. A request without a user is an error: the client may have omitted its user, or the authentication runs later. To limit
 * such requests by another key, use `firstOf`. To leave them out of the policy, return `notLimited`.
 *
 * @example
 * rateLimit({ limit: 100, window: '1m', key: firstOf(byUser((req) => req.user?.id), byIp()) })
 * @throws SluiceError immediately if `find` is not a function; for a request, SLUICE_USER_MISSING (status 400) if it returns no id
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
