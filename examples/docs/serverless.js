// A function behind an API gateway, as a platform calls it. It takes a Redis (REDIS_URL).
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { subscribe } from 'node:diagnostics_channel'
// #region handler
import { createLimiter, redisStore, slidingWindow } from '@sluice/core'
import { Redis } from 'ioredis'
// #endregion

if (process.env.REDIS_URL === undefined) process.exit()

// #region handler
// Outside the handler: an instance keeps its connection for its next requests.
const redis = new Redis(process.env.REDIS_URL ?? 'redis://localhost', {
  lazyConnect: true,
  connectTimeout: 1000,
  retryStrategy: (times) => Math.min(times * 50, 500),
})
redis.on('error', (error) => console.error(`Redis: ${error.message}`))
// If Redis is unavailable, the instance still starts, and the client connects later.
await redis.connect().catch(() => {})

const limiter = createLimiter({
  name: 'api',
  policies: slidingWindow({ limit: 100, window: '1m' }),
  store: redisStore(redis, { timeout: '100ms' }),
  onStoreError: 'allow',
})

export async function handler(event) {
  const userId = event.requestContext.authorizer.jwt.claims.sub
  const { allowed, retryAfterMs } = await limiter.consume(['user', userId])
  if (allowed) return { statusCode: 200, body: 'Hello.' }
  return {
    statusCode: 429,
    headers: { 'Retry-After': `${Math.ceil(Number(retryAfterMs) / 1000)}` },
  }
}
// #endregion

const sources = new Set()
subscribe('sluice:decision', (event) => void sources.add(Object(event).decision.source))
const event = { requestContext: { authorizer: { jwt: { claims: { sub: randomUUID() } } } } }
const responses = await Promise.all(Array.from({ length: 101 }, () => handler(event)))
// On a busy machine, a call can take longer than the timeout.
if (!sources.has('open')) {
  assert.equal(responses.filter(({ statusCode }) => statusCode === 200).length, 100)
  assert.equal(responses.at(-1)?.headers?.['Retry-After'], '60')
}
redis.disconnect()
