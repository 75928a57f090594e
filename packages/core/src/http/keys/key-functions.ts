import {
  isInstance,
  isKeyPart,
  isNotLimited,
  keyError,
  type Key,
  type NotLimited,
  type KeyPartValue,
} from '../../keys.js'
import { sluiceError, SluiceError, type ErrorCode } from '../../errors.js'
import { requestError } from '../../errors/request-error.js'
import type { Awaitable } from '../../awaitable.js'
import { countedMethod } from '../../methods.js'
import { watchUsers } from '../request/mistakes.js'
import type { RequestView } from '../request/view.js'
import { base64urlOf, sha256BytesOf } from '../../digests.js'
import { isList } from '../../options/predicates.js'

/**
 * Finds the key of a request. The second argument is the adapter's view of the request, the same for every framework. The function returns a key, or
 * another key function, which is then called with the same arguments. `notLimited` leaves the policy out. Null, undefined and a record are errors
 * (status 400), because they may come from the client.
 */
export type KeyFunction<R, K = Key> = (
  request: R,
  view: RequestView<R>,
) => Awaitable<K | NotLimited | KeyFunction<R, K>>

/** Guards against a function that returns itself. */
const maxCalls = 10

/** Calls a key function, and each key function that a call returns. */
export async function foundBy<R, K>(
  find: KeyFunction<R, K>,
  view: RequestView<R>,
): Promise<K | NotLimited> {
  let found = await find(view.raw, view)
  for (let calls = 1; isKeyFunction(found); calls++) {
    if (calls === maxCalls) {
      const expected = `a function that returns a key after at most ${maxCalls} functions that return functions`
      throw sluiceError('SLUICE_OPTION_INVALID', 'rateLimit', 'key', found, expected)
    }
    found = await found(view.raw, view)
  }
  return found
}

function isKeyFunction<R, K>(
  found: K | NotLimited | KeyFunction<R, K>,
): found is KeyFunction<R, K> {
  return typeof found === 'function'
}

/**
 * Uses the value of a header as the key, such as an API key. The value is hashed (SHA-256), because it is usually a secret that neither the store nor a
 * log should contain.
 *
 * @example
 * rateLimit({ limit: 1000, window: '1h', key: byHeader('X-API-Key') })
 * @throws SluiceError SLUICE_HEADER_MISSING (status 400) if the request has no such header
 */
export function byHeader(
  name: string,
): (request: unknown, view: RequestView<unknown>) => readonly string[] {
  if (typeof name !== 'string' || name === '') {
    throw sluiceError('SLUICE_OPTION_INVALID', 'byHeader', 'name', name, 'the name of a header')
  }
  const header = name.toLowerCase()
  return function keyByHeader(_request, { headers }) {
    const value = headers[header]
    if (value === undefined || value.length === 0) throw requestError('SLUICE_HEADER_MISSING', name)
    const text = typeof value === 'string' ? value : value.join(', ')
    return codedParts('header', header, base64urlOf(sha256BytesOf(text)))
  }
}

/**
 * Uses the route as the key: its method and its pattern, so that `/items/1` and `/items/2` count together. HEAD counts as GET, and all methods that Node
 * does not know count as one.
 *
 * @example
 * rateLimit({ limit: 10, window: '1m', key: [byIp(), byRoute()] })
 * @throws SluiceError SLUICE_ROUTE_MISSING if the limiter runs before a route has matched
 */
export function byRoute(): (request: unknown, view: RequestView<unknown>) => readonly string[] {
  return function keyByRoute(_request, { method, route }) {
    if (route === undefined || route === '') throw requestError('SLUICE_ROUTE_MISSING')
    return codedParts('route', countedMethod(method), route)
  }
}

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
  return async (request) => keyOfUser(await find(request))
}

function keyOfUser(id: UserId): readonly string[] | NotLimited {
  if (isNotLimited(id)) return id
  if (isInstance(id)) throw keyError('byUser', id, {})
  if (!isKeyPart(id)) throw requestError('SLUICE_USER_MISSING', id)
  return codedParts('user', `${id}`)
}

/** A key function that may find no key. */
export type KeyAttempt<R> = KeyFunction<R, Key | null | undefined>

/**
 * Uses the first key that one of the functions finds, for example the user or else the address. A function finds no key if it returns null, undefined,
 * an empty string or `notLimited`, or if it is `byUser`, `byHeader` or `byIp` and the request has no user, header or address. The last function may return
 * `notLimited` to leave the policy out; if it finds no key, the request fails. Any other error of a function fails the request.
 *
 * @example
 * rateLimit({ limit: 100, window: '1m', key: firstOf(byUser((req) => req.user?.id), byIp()) })
 * @throws SluiceError immediately if one of them is not a function; for a request, the error of the last function, or SLUICE_KEY_INVALID
 */
// The first overload infers the request's type from the use of the result, the second one from the functions. With one overload, `byIp`, which takes any
// request, would make the request type of the other functions `unknown`.
export function firstOf<R>(...functions: readonly KeyAttempt<NoInfer<R>>[]): KeyFunction<R>
export function firstOf<R>(...functions: readonly KeyAttempt<R>[]): KeyFunction<R>
export function firstOf<R>(...functions: readonly KeyAttempt<R>[]): KeyFunction<R> {
  if (functions.length === 0 || functions.some((find) => typeof find !== 'function')) {
    const expected = 'key functions, such as firstOf(byUser((req) => req.user?.id), byIp())'
    throw sluiceError('SLUICE_OPTION_INVALID', 'firstOf', 'functions', functions, expected)
  }
  const last = functions.length - 1
  const watch = watchUsers()

  return async function keyByFirst(_request, view) {
    let found: Found | null | undefined
    let hasUser: (() => Promise<boolean>) | undefined
    for (const [i, find] of functions.entries()) {
      const isLast = i === last
      try {
        found = await foundBy(find, view)
        if (isMissing(found) && !(isLast && isNotLimited(found))) continue
        if (i === 0 || hasUser !== undefined) watch(view, hasUser)
        return found
      } catch (error) {
        if (isLast || !(error instanceof SluiceError) || !missing.has(error.code)) throw error
        if (error.code === 'SLUICE_USER_MISSING') hasUser = () => isFound(find, view)
      }
    }
    throw sluiceError('SLUICE_KEY_INVALID', 'firstOf', found, { advice })
  }
}

async function isFound<R>(find: KeyAttempt<R>, view: RequestView<R>): Promise<boolean> {
  try {
    return !isMissing(await foundBy(find, view))
  } catch {
    return false
  }
}

type Found = Key | NotLimited

const advice =
  'No function of firstOf found a key. Pass a last function that finds a key for every request, such as byIp()'

const missing: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'SLUICE_USER_MISSING',
  'SLUICE_HEADER_MISSING',
  'SLUICE_ADDRESS_MISSING',
  'SLUICE_CONNECTION_MISSING',
])

function isMissing(found: Found | null | undefined): found is null | undefined | '' | NotLimited {
  return found === undefined || found === null || found === '' || isNotLimited(found)
}

// From the global symbol registry, so that two copies of this package share the mark. JSON cannot contain it.
const coded: unique symbol = Symbol.for('@sluice/core: parts put together by code')

/**
 * Makes a key of several parts with a mark that it comes from code. Within a list such as `[byIp(), byRoute()]`, a function may return several parts only
 * with this mark: a list without it may come from the client, which could then choose the number of parts of the key.
 */
function codedParts(...parts: string[]): readonly string[] {
  return Object.defineProperty(parts, coded, { value: true })
}

export function isCoded(value: unknown): value is readonly KeyPartValue[] {
  return isList(value) && coded in value
}
