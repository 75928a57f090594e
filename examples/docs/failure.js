// The choices for an unavailable Redis: no server listens on this port.
import assert from 'node:assert/strict'
// #region choices
import { createLimiter, redisStore, slidingWindow } from '@sluice/core'
import { Redis } from 'ioredis'
// #endregion

process.env.REDIS_URL = 'redis://127.0.0.1:1'

// #region choices
const redis = new Redis(process.env.REDIS_URL ?? 'redis://localhost')
redis.on('error', (error) => console.log(`Redis: ${error.message}`))

const store = redisStore(redis)
const policies = slidingWindow({ limit: 100, window: '1m' })
const processes = 4

// Counts in each process, with a quarter of the limit.
const api = createLimiter({ name: 'api', policies, store, localShare: 1 / processes })

// Allows every request: some more searches for a minute cost little.
const search = createLimiter({ name: 'search', policies, store, onStoreError: 'allow' })

// Denies every request: each text message costs money.
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
/** For the health check of a load balancer or an orchestrator. */
async function health() {
  return { ok: true, counts: (await api.ping()) ? 'in Redis' : 'in this process' }
}
// #endregion
assert.deepEqual(await health(), { ok: true, counts: 'in this process' })
redis.disconnect()
