// A free quota, then a slow rate.
import assert from 'node:assert/strict'
// #region staged
import { calendarWindow, createLimiter, gcra, staged } from '@sluice/core'

// Thirty a day are free; after that, one every two seconds.
const fair = staged({
  free: calendarWindow({ limit: 30, period: 'day', timeZone: 'UTC' }),
  then: gcra({ limit: 1, window: '2s' }),
})
const questions = createLimiter({ name: 'questions', policies: fair })
// #endregion

let now = Date.UTC(2030, 0, 1, 12)
const limiter = createLimiter({ name: 'questions', policies: fair, clock: () => now })
for (let i = 0; i < 30; i++) assert.equal((await limiter.consume('ada')).allowed, true)
const denied = await limiter.consume('ada')
assert.deepEqual([denied.allowed, denied.retryAfterMs], [false, 2000])
now += 2000
assert.equal((await limiter.consume('ada')).allowed, true)
assert.equal((await questions.consume('ada')).remaining, 29)
