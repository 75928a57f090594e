/** A value, or the promise of one. */
export type Awaitable<T> = T | PromiseLike<T>

/**
 * Goes on with a value: in the same tick where it is there, later where it is promised. So the flow is written once, and it
 * stays synchronous for as long as everything in it is; an `await` would send every request through the microtask queue.
 */
export function after<T, U>(
  value: Awaitable<T>,
  goOn: (value: T) => U | Promise<U>,
): U | Promise<U> {
  return isPromise(value) ? Promise.resolve(value).then(goOn) : goOn(value)
}

/** Any thenable, as for `await`: query builders are, and so are the promises of other libraries. */
export function isPromise<T>(value: Awaitable<T>): value is PromiseLike<T> {
  return (
    (typeof value === 'object' || typeof value === 'function') &&
    value !== null &&
    'then' in value &&
    typeof value.then === 'function'
  )
}

/** Reads a value from each source, and gives them all when all are there: at once if none is promised. */
export function together<S, T>(
  sources: readonly S[],
  read: (source: S) => Awaitable<T>,
): readonly T[] | Promise<readonly T[]> {
  const values: Awaitable<T>[] = []
  try {
    for (const source of sources) values.push(read(source))
  } catch (error) {
    // What others have promised by then may fail as well: a rejection that nobody hears ends the process.
    void Promise.allSettled(values)
    throw error
  }
  const there: T[] = []
  for (const value of values) {
    if (isPromise(value)) return Promise.all(values)
    there.push(value)
  }
  return there
}
