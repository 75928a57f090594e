// A test of an unavailable store: node --test testing-unavailable.js
// #region unavailable
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLimiter, fixedWindow } from '@sluice/core'
import { testStore } from '@sluice/testing'

test('while the store is unavailable, the process decides by itself', async () => {
  const store = testStore()
  const policies = fixedWindow({ limit: 1, window: '1h' })
  const limiter = createLimiter({ name: 'test', policies, store })
  assert.equal((await limiter.consume('ada')).source, 'store')

  store.fail()
  const first = await limiter.consume('ada')
  assert.deepEqual([first.allowed, first.source], [true, 'fallback'])
  assert.equal((await limiter.consume('ada')).allowed, false)

  store.recover()
  const last = await limiter.consume('ada')
  assert.deepEqual([last.allowed, last.source], [false, 'store'])
})
// #endregion
