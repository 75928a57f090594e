// The methods of a limiter.
import assert from 'node:assert/strict'
// #region verbs
import { createLimiter, slidingWindow } from '@sluice/core'

const policies = slidingWindow({ limit: 100, window: '1m' })
const limiter = createLimiter({ name: 'api', policies })
const key = ['user', 42]

const decision = await limiter.consume(key, { cost: 5 }) // decides, and counts if allowed
await limiter.refund(decision) // refunds what this decision took
await limiter.adjust(await limiter.consume(key, { cost: 5 }), 7) // it took seven in the end
await limiter.peek(key) // decides without counting
await limiter.status(key) // the units used, the units left, the block, and the exemption
await limiter.penalize(key, 10) // takes ten units, whatever is left
await limiter.block(key, '10m') // denies every request for ten minutes
await limiter.unblock(key)
await limiter.exempt(key, '8h') // allows every request for eight hours, and counts none
await limiter.unexempt(key)
await limiter.grant(key, 500, { for: '1d' }) // 500 more units in the next day
await limiter.ungrant(key)
await limiter.reset(key) // deletes the count
await limiter.consumeMany([{ key: ['user', 1] }, { key: ['user', 2] }]) // in one round trip
// #endregion
assert.equal((await limiter.peek(key)).remaining, 100)
