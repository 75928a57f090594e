import { hasMethod } from './options/predicates.js'

/** A value, or the promise of one. */
export type Awaitable<T> = T | PromiseLike<T>

/** Accepts any thenable, as `await` does: query builders and the promises of other libraries are thenables. */
export function isPromise<T>(value: Awaitable<T>): value is PromiseLike<T> {
  return hasMethod(value, 'then')
}
