import { sluiceError, SluiceError, type ErrorCode } from '../../errors.js'
import { isNotLimited, type Key, type NotLimited } from '../../keys.js'
import { foundBy, type KeyFunction } from './key-function.js'
import type { RequestView } from '../request/request-view.js'

/** A key function that may find none. */
export type KeyAttempt<R> = KeyFunction<R, Key | null | undefined>

/**
 * The first key that one of these functions finds: the user's, else the address's. A function finds none if it returns null, undefined, an empty
 * string or `notLimited`, or if it is `byUser`, `byHeader` or `byIp` and the request has no user, header or address. The last one decides: it may
 * leave the policy out by `notLimited`, and if it finds no key, the request is an error. Any other error of a function stays one.
 *
 * @example
 * rateLimit({ limit: 100, window: '1m', key: firstOf(byUser((req) => req.user?.id), byIp()) })
 * @throws SluiceError at once where one of them is no function, and per request what the last one throws, or SLUICE_KEY_INVALID
 */
// The first form takes the request's type from where the result is used, and the second one from the functions. By one form alone, `byIp`, which
// takes any request, would make the request of the functions beside it unknown.
export function firstOf<R>(...functions: readonly KeyAttempt<NoInfer<R>>[]): KeyFunction<R>
export function firstOf<R>(...functions: readonly KeyAttempt<R>[]): KeyFunction<R>
export function firstOf<R>(...functions: readonly KeyAttempt<R>[]): KeyFunction<R> {
  if (functions.length === 0 || functions.some((find) => typeof find !== 'function')) {
    const expected = 'key functions, such as firstOf(byUser((req) => req.user?.id), byIp())'
    throw sluiceError('SLUICE_OPTION_INVALID', 'firstOf', 'functions', functions, expected)
  }
  const last = functions.length - 1

  function from(index: number, view: RequestView<R>): Found | Promise<Found> {
    function orNext(found: Attempted): Found | Promise<Found> {
      if (!isMissing(found)) return found
      if (index < last) return from(index + 1, view)
      if (isNotLimited(found)) return found
      throw sluiceError('SLUICE_KEY_INVALID', 'firstOf', found, { advice })
    }

    function nextUnless(error: unknown): Found | Promise<Found> {
      if (index === last || !(error instanceof SluiceError) || !missing.has(error.code)) throw error
      return from(index + 1, view)
    }

    let found: Attempted | Promise<Attempted>
    try {
      found = foundBy(functions[index], view)
    } catch (error) {
      return nextUnless(error)
    }
    return found instanceof Promise ? found.then(orNext, nextUnless) : orNext(found)
  }

  return function keyByFirst(_request, view) {
    return from(0, view)
  }
}

type Found = Key | NotLimited
type Attempted = Found | null | undefined

const advice =
  'No function of firstOf found a key. Let the last one find a key for every request, such as byIp()'

const missing: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'SLUICE_USER_MISSING',
  'SLUICE_HEADER_MISSING',
  'SLUICE_ADDRESS_MISSING',
])

function isMissing(found: Attempted): found is null | undefined | '' | NotLimited {
  return found === undefined || found === null || found === '' || isNotLimited(found)
}
