// @ts-nocheck -- the functions of `values` take the application's own request
// The counts of one customer, and a reset of them.
import assert from 'node:assert/strict'
// #region support
import { rateLimit } from '@sluice/express'
import { fileSource, loadRules } from '@sluice/rules'

const rules = await loadRules({ source: fileSource('rules.yaml'), values: { plan: () => 'free' } })
const middleware = rateLimit({ rules })

async function limitOf(user) {
  const context = { path: '/api/items', ip: '203.0.113.9', user, plan: 'free' }
  const explanation = await rules.explain(context)
  return explanation.rules.find(({ id }) => id === 'api')
}

const { key, policies } = await limitOf('42')
const { used } = (await middleware.limiter.status(key, { policies })).policies.api
await middleware.limiter.reset(key, { policies })
// #endregion
assert.deepEqual([key, used], [['user', '42'], 0])
await middleware.limiter.consume(key, { policies })
const statusOfApi = async () => (await middleware.limiter.status(key, { policies })).policies.api
assert.equal((await statusOfApi()).used, 1)
await middleware.limiter.reset(key, { policies })
assert.equal((await statusOfApi()).used, 0)
rules.close()
