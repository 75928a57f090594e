import type { AsyncStore } from '@sluice/core'
import { databaseStore, type DatabaseStoreOptions } from '@sluice/core/database'
import { MemoryDatabase } from './memory-database.js'

/** A shared store, such as Redis, that a test makes unavailable. */
export interface TestStore extends AsyncStore {
  /** From now on each call fails, as if the server were down. */
  fail(error?: Error): void
  /** From now on no call is answered, as if the server hung. Each request waits for the `timeout` of the store. */
  hang(): void
  /** Answers again at once. The counts are those of before. */
  recover(): void
}

/**
 * Makes a store in this process that answers with promises, as `redisStore` does, and that fails or hangs when the test says so. Everything else is the
 * real store: the deadline, the breaker, the events, and what `onStoreError` decides.
 *
 * @example
 * import { createLimiter } from '@sluice/core'
 * import { testStore } from '@sluice/testing'
 *
 * const store = testStore()
 * const limiter = createLimiter({ name: 'emails', limit: 1, window: '1h', store, onStoreError: 'deny' })
 * store.fail()
 * const { allowed, source } = await limiter.consume('ada') // false, 'closed'
 * @throws SluiceError if an option is unknown or out of range
 */
export function testStore(options: DatabaseStoreOptions = {}): TestStore {
  const database = new MemoryDatabase()
  let store = databaseStore(database, options)

  return {
    async: true,
    run: (requests) => store.run(requests),
    ping: () => store.ping(),
    close: () => store.close(),
    fail(error = new Error('connect ECONNREFUSED 127.0.0.1:6379')) {
      database.before = async () => {
        throw error
      }
    },
    hang() {
      database.before = async () => new Promise(() => {})
    },
    recover() {
      database.before = async () => {}
      // A new breaker: that of before would wait until a ping is answered.
      store = databaseStore(database, options)
    },
  }
}
