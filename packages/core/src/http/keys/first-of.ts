import { sluiceError, SluiceError, type ErrorCode } from '../../errors.js'
import { isNotLimited, type Key, type NotLimited } from '../../keys.js'
import { foundBy, type KeyFunction } from './key-function.js'
import type { RequestView } from '../request/request-view.js'

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

  function findFrom(index: number, view: RequestView<R>): Found | Promise<Found> {
    function foundOrNext(found: Attempted): Found | Promise<Found> {
      if (!isMissing(found)) return found
      if (index < last) return findFrom(index + 1, view)
      if (isNotLimited(found)) return found
      throw sluiceError('SLUICE_KEY_INVALID', 'firstOf', found, { advice })
    }

    function nextIfMissing(error: unknown): Found | Promise<Found> {
      if (index === last || !(error instanceof SluiceError) || !missing.has(error.code)) throw error
      return findFrom(index + 1, view)
    }

    let found: Attempted | Promise<Attempted>
    try {
      found = foundBy(functions[index], view)
    } catch (error) {
      return nextIfMissing(error)
    }
    return found instanceof Promise ? found.then(foundOrNext, nextIfMissing) : foundOrNext(found)
  }

  return function keyByFirst(_request, view) {
    return findFrom(0, view)
  }
}

type Found = Key | NotLimited
type Attempted = Found | null | undefined

const advice =
  'No function of firstOf found a key. Pass a last function that finds a key for every request, such as byIp()'

const missing: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'SLUICE_USER_MISSING',
  'SLUICE_HEADER_MISSING',
  'SLUICE_ADDRESS_MISSING',
])

function isMissing(found: Attempted): found is null | undefined | '' | NotLimited {
  return found === undefined || found === null || found === '' || isNotLimited(found)
}
