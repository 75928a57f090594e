// What the page on failure says: it asks a Redis that is not there.
import assert from 'node:assert/strict'
import { createLimiter, redisStore, slidingWindow } from '@sluice/core'
import { Redis } from 'ioredis'

const redis = new Redis(1, '127.0.0.1', { retryStrategy: (times) => Math.min(times * 50, 500) })
redis.on('error', () => {})
const store = redisStore(redis)
const policies = slidingWindow({ limit: 100, window: '1m' })

// #region choices
const processes = 4

// Goes on counting, by itself, with a quarter of the limit in each process.
const api = createLimiter({ name: 'api', policies, store, localShare: 1 / processes })

// Lets everybody in: a search that may cost a little more for a minute.
const search = createLimiter({ name: 'search', policies, store, onStoreError: 'allow' })

// Lets nobody in: codes sent by text message, which cost money.
const messages = createLimiter({ name: 'messages', policies, store, onStoreError: 'deny' })
// #endregion
const sources = []
for (const limiter of [api, search, messages]) {
  const { allowed, source, limit, remaining } = await limiter.consume('ada')
  sources.push([limiter.name, allowed, source, limit, remaining])
}
console.table(sources)
assert.deepEqual(sources, [
  ['api', true, 'fallback', 25, 24],
  ['search', true, 'open', 100, 100],
  ['messages', false, 'closed', 100, 0],
])

// #region ready
/** For the probe of a load balancer or an orchestrator: a limiter without its store still works. */
async function health() {
  return { ok: true, counts: (await api.ping()) ? 'in Redis' : 'in this process' }
}
// #endregion
assert.deepEqual(await health(), { ok: true, counts: 'in this process' })
redis.disconnect()
