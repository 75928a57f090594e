// Redis over HTTP. It takes the address and the token of a REST service (UPSTASH_REDIS_REST_URL, UPSTASH_REDIS_REST_TOKEN).
import assert from 'node:assert/strict'
import { createLimiter, slidingWindow } from '@sluice/core'
// #region client
import { redisStore, restClient } from '@sluice/core'

const rest = restClient({
  url: process.env.UPSTASH_REDIS_REST_URL ?? 'https://example.upstash.io',
  token: process.env.UPSTASH_REDIS_REST_TOKEN ?? 'the token of the database',
})

const store = redisStore(rest)
// #endregion

if (process.env.UPSTASH_REDIS_REST_URL !== undefined) {
  const policies = slidingWindow({ limit: 100, window: '1m' })
  const limiter = createLimiter({ name: `rest ${process.pid}`, policies, store })
  const decisions = await Promise.all(['ada', 'ada', 'bob'].map((key) => limiter.consume(key)))
  assert.deepEqual(
    decisions.map(({ source }) => source),
    ['store', 'store', 'store'],
  )
  assert.equal((await limiter.peek('ada')).remaining, 98)
}
