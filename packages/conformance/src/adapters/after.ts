import { isPromise, type Awaitable } from '@sluice/core/internal'

/** Passes a value to `use`: in the same tick if the value is known, later if it is a promise. A handler that is given can be of either kind. */
export function after<T, U>(
  value: Awaitable<T>,
  use: (value: T) => U | Promise<U>,
): U | Promise<U> {
  return isPromise(value) ? Promise.resolve(value).then(use) : use(value)
}
