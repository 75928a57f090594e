// Waiting until a call is allowed.
// #region acquire
import { createLimiter, tokenBucket } from '@sluice/core'

const feed = createLimiter({
  name: 'feed',
  policies: tokenBucket({ capacity: 1, refill: 100, every: '1s' }),
})
for (const page of ['a', 'b', 'c']) {
  const { allowed } = await feed.acquire('all', { maxWait: '5s' })
  if (allowed) console.log(`page ${page}`)
}
// #endregion
