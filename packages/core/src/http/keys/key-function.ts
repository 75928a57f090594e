import type { Key, NotLimited } from '../../keys.js'
import { sluiceError } from '../../errors.js'
import { after, type Awaitable } from '../awaitable.js'
import type { RequestView } from '../request/request-view.js'

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
export function foundBy<R, K>(
  find: KeyFunction<R, K>,
  view: RequestView<R>,
  calls: number = 1,
): K | NotLimited | Promise<K | NotLimited> {
  return after(find(view.raw, view), (found) => {
    if (!isKeyFunction(found)) return found
    if (calls < maxCalls) return foundBy(found, view, calls + 1)
    const expected = `a function that returns a key after at most ${maxCalls} functions that return functions`
    throw sluiceError('SLUICE_OPTION_INVALID', 'rateLimit', 'key', found, expected)
  })
}

function isKeyFunction<R, K>(
  found: K | NotLimited | KeyFunction<R, K>,
): found is KeyFunction<R, K> {
  return typeof found === 'function'
}
