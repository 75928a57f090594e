// A hot key, whose units a process takes from Redis before it spends them.
import assert from 'node:assert/strict'
// #region ahead
import { createLimiter, fixedWindow, redisStore, spendAhead } from '@sluice/core'
import { Redis } from 'ioredis'

const redis = new Redis(process.env.REDIS_URL ?? 'redis://localhost')
const store = spendAhead(redisStore(redis))
const policies = fixedWindow({ limit: 1_000_000, window: '1m', align: 'clock' })
const limiter = createLimiter({ name: 'all', policies, store })

const { allowed, source } = await limiter.consume('all clients') // source: 'ahead', once the key is hot
// #endregion
assert.deepEqual([allowed, source], [true, 'store'])
const decisions = []
for (let i = 0; i < 500; i++) decisions.push(await limiter.consume('all clients'))
assert.ok(decisions.some(({ source }) => source === 'ahead'))
await store.close()
await redis.quit()
