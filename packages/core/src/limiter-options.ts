import type { Clock } from './clock.js'
import type { Policies } from './entries.js'
import { sluiceError } from './errors.js'
import { optionsObject, rejectUnknown } from './policy.js'
import type { Store } from './stores/store.js'

export interface LimiterOptions<S extends Store> {
  /** The namespace of the counters in the store. */
  readonly name: string
  /** What is allowed. A request is admitted if all policies admit it, and is then counted in all of them, else in none. */
  readonly policies: Policies
  /**
   * Where the counts live. The same store can serve many limiters.
   *
   * @default memoryStore()
   */
  readonly store?: S
  /**
   * Milliseconds since the epoch. Where it is given it rules everywhere, in Redis too: for tests and replays.
   *
   * @default the store's own time
   */
  readonly clock?: Clock
}

/**
 * The options, if they can be right.
 *
 * @throws SluiceError where one is missing, unknown or wrong
 */
export function checkedOptions<S extends Store>(options: LimiterOptions<S>): LimiterOptions<S> {
  const known = ['name', 'policies', 'store', 'clock']
  rejectUnknown('createLimiter', optionsObject('createLimiter', options, known), known)
  const { name, store, clock } = options
  if (typeof name !== 'string' || name === '') {
    const expected = 'a non-empty string: the namespace of the counters'
    throw sluiceError('SLUICE_OPTION_INVALID', 'createLimiter', 'name', name, expected)
  }
  if (store !== undefined && typeof store.run !== 'function') {
    const expected = 'memoryStore() or redisStore(client)'
    throw sluiceError('SLUICE_OPTION_INVALID', 'createLimiter', 'store', store, expected)
  }
  if (clock !== undefined && typeof clock !== 'function') {
    const expected = 'a function that returns milliseconds since the epoch'
    throw sluiceError('SLUICE_OPTION_INVALID', 'createLimiter', 'clock', clock, expected)
  }
  return options
}
