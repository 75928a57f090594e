import type { Awaitable } from '@sluice/core/http'
import { isPromise } from '@sluice/core/internal'

/** Uses a value at once, or when its promise settles: only requests that wait for a value of the application become asynchronous. */
export function awaited<T, U>(value: Awaitable<T>, use: (value: T) => Awaitable<U>): Awaitable<U> {
  return isPromise(value) ? Promise.resolve(value).then(use) : use(value)
}
