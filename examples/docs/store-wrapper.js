// A store that wraps another one.
import assert from 'node:assert/strict'
// #region wrapper
import { createLimiter, redisStore } from '@sluice/core'
import { Redis } from 'ioredis'

/** @returns {import('@sluice/core').AsyncStore} */
function measured(store) {
  return {
    ...store,
    async run(requests) {
      const start = performance.now()
      const answers = await store.run(requests)
      console.log(`${requests.length} requests in ${performance.now() - start} ms`)
      return answers
    },
  }
}

const redis = new Redis(process.env.REDIS_URL ?? 'redis://localhost')
redis.on('error', (error) => console.error(`Redis: ${error.message}`))

const store = measured(redisStore(redis))
const limiter = createLimiter({ name: 'emails', limit: 100, window: '1h', store })
// #endregion

const { allowed, source } = await limiter.consume('user:42')
assert.deepEqual({ allowed, source }, { allowed: true, source: 'store' })
redis.disconnect()
