/** A value, or the promise of one. */
export type Awaitable<T> = T | PromiseLike<T>

/**
 * Passes a value to `use`: in the same tick if the value is known, later if it is a promise. A request that waits for nothing is decided
 * synchronously; an `await` would send each request through the microtask queue.
 */
export function after<T, U>(
  value: Awaitable<T>,
  use: (value: T) => U | Promise<U>,
): U | Promise<U> {
  return isPromise(value) ? Promise.resolve(value).then(use) : use(value)
}

/** Accepts any thenable, as `await` does: query builders and the promises of other libraries are thenables. */
export function isPromise<T>(value: Awaitable<T>): value is PromiseLike<T> {
  return (
    (typeof value === 'object' || typeof value === 'function') &&
    value !== null &&
    'then' in value &&
    typeof value.then === 'function'
  )
}

/** Reads a value from each source. The list is returned in the same tick if no source returns a promise. */
export function together<S, T>(
  sources: readonly S[],
  read: (source: S) => Awaitable<T>,
): readonly T[] | Promise<readonly T[]> {
  const values: Awaitable<T>[] = []
  try {
    for (const source of sources) values.push(read(source))
  } catch (error) {
    // Promises of earlier sources may reject as well, and an unhandled rejection ends the process.
    void Promise.allSettled(values)
    throw error
  }
  const known: T[] = []
  for (const value of values) {
    if (isPromise(value)) return Promise.all(values)
    known.push(value)
  }
  return known
}

/** Calls a function, and `recover` with the error that it throws or rejects with. */
export function rescued<T>(
  call: () => Awaitable<T>,
  recover: (error: unknown) => T | Promise<T>,
): T | Promise<T> {
  try {
    const result = call()
    return isPromise(result) ? Promise.resolve(result).catch(recover) : result
  } catch (error) {
    return recover(error)
  }
}
