// What the pages say of the core, without HTTP.
import assert from 'node:assert/strict'
// #region quick
import { createLimiter, slidingWindow } from '@sluice/core'

const limiter = createLimiter({
  name: 'api',
  policies: slidingWindow({ limit: 100, window: '1m' }),
})

const { allowed, remaining, retryAfterMs } = await limiter.consume('user:42')
// #endregion
import { tokenBucket } from '@sluice/core'

assert.deepEqual([allowed, remaining, retryAfterMs], [true, 99, 0])

// #region verbs
const key = ['user', '42']
await limiter.peek(key) // would it be admitted? Nothing is counted
await limiter.penalize(key, 10) // takes ten more, admitted or not
const decision = await limiter.consume(key, { cost: 5 })
await limiter.refund(decision) // gives back what this one took
await limiter.block(key, '10m') // shuts out, whatever is left
await limiter.unblock(key)
await limiter.reset(key) // forgets what was used
// #endregion
assert.equal((await limiter.peek(key)).remaining, 100)

// #region acquire
const slow = createLimiter({
  name: 'feed',
  policies: tokenBucket({ capacity: 1, refill: 100, every: '1s' }),
})
for (const page of ['a', 'b', 'c']) {
  const { allowed } = await slow.acquire('all', { maxWait: '5s' })
  if (allowed) console.log(`page ${page}`)
}
// #endregion
