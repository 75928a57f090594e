// @ts-nocheck -- the URL of the database can be unset
// Rules without HTTP.
import assert from 'node:assert/strict'
// #region without-http
import { redisStore } from '@sluice/core'
import { createRuleLimiter, fileSource, loadRules } from '@sluice/rules'
import { Redis } from 'ioredis'

const rules = await loadRules({ source: fileSource('rules.yaml') })
const redis = new Redis(process.env.REDIS_URL ?? 'redis://localhost')
redis.on('error', (error) => console.error(`Redis: ${error.message}`))
const limiter = createRuleLimiter({ rules, store: redisStore(redis) })

const context = { path: '/api/items', ip: '203.0.113.9', user: '42', plan: 'free' }
const decision = await limiter.consume(context)
if (!decision.allowed) console.log(`${decision.rule}: again in ${decision.retryAfterMs} ms`)

await limiter.peek(context) // the decision of now; counts nothing
await limiter.peekAll(context) // every rule that would deny now
await limiter.peekCounts(context) // what each count has used and has left, shadow rules included
await limiter.count(context) // counts in all rules that apply, even above their limits
await limiter.exempt(context, '1h') // allows everything of the keys of these rules, and counts nothing
await limiter.unexempt(context) // ends that
await limiter.refund(decision, { policies: ['api'] }) // refunds the count of one rule
// #endregion
assert.deepEqual(decision.applied, ['address', 'api'])
const { remaining } = await limiter.peek(context)
assert.equal(remaining, 59)
await limiter.close()
rules.close()
redis.disconnect()
