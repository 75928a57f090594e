// A test of an unavailable Redis: node --test testing-unavailable.js
// #region unavailable
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLimiter, fixedWindow, redisStore } from '@sluice/core'

const refuse = async () => {
  throw new Error('connect ECONNREFUSED')
}

test('while Redis is unavailable, the process decides by itself', async () => {
  const store = redisStore({ isCluster: false, evalSha: refuse, eval: refuse })
  const policies = fixedWindow({ limit: 1, window: '1h' })
  const limiter = createLimiter({ name: 'test', policies, store })

  const first = await limiter.consume('ada')
  assert.deepEqual([first.allowed, first.source], [true, 'fallback'])
  assert.equal((await limiter.consume('ada')).allowed, false)
})
// #endregion
