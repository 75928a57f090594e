// The type of a limiter depends on its store, in TypeScript.
import assert from 'node:assert/strict'
// #region limiter
import { createLimiter, slidingWindow, type Limiter } from '@sluice/core'

const inMemory = createLimiter({
  name: 'jobs',
  policies: slidingWindow({ limit: 100, window: '1m' }),
})
const { allowed } = inMemory.consume('job') // no promise

// Takes limiters with any store.
async function isAllowed(limiter: Limiter, key: string): Promise<boolean> {
  const decision = await limiter.consume(key)
  return decision.allowed
}

// The verdict of one policy. It is absent if the call excluded the policy, or passed other policies.
const used = inMemory.consume('job').policies['default']?.used ?? 0
// #endregion

assert.deepEqual([allowed, await isAllowed(inMemory, 'job'), used], [true, true, 2])
