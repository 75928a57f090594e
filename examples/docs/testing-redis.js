// A test over Redis: REDIS_URL=… node --test testing-redis.js
// #region redis
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { createLimiter, fixedWindow, redisStore } from '@sluice/core'
import { Redis } from 'ioredis'

test('two processes count together', async (t) => {
  const redis = new Redis(process.env.REDIS_URL ?? 'redis://localhost:6379')
  t.after(() => redis.disconnect())
  const prefix = randomUUID()
  const policies = fixedWindow({ limit: 1, window: '1h' })
  const open = () => createLimiter({ name: 'test', policies, store: redisStore(redis, { prefix }) })

  assert.equal((await open().consume('ada')).allowed, true)
  assert.equal((await open().consume('ada')).allowed, false)
})
// #endregion
