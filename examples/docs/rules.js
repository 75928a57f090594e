// @ts-nocheck -- the functions of `values` take the application's own request
// What the pages say of rules.
import assert from 'node:assert/strict'
// #region quick
import { rateLimit } from '@sluice/express'
import { fileSource, loadRules } from '@sluice/rules'
import express from 'express'

const rules = await loadRules({
  source: fileSource('rules.yaml'),
  values: {
    user: (req) => req.user?.id,
    plan: (req) => req.user?.plan ?? 'free',
  },
})

const app = express()
app.use(rateLimit({ rules }))
// #endregion
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { redisStore } from '@sluice/express'
import { Redis } from 'ioredis'
import { statuses, visit } from './check/visit.js'

app.get('/health', (req, res) => res.send('Healthy.\n'))
app.get('/api/items', (req, res) => res.send('Items.\n'))
await visit(app, async (ask) => {
  assert.deepEqual([...new Set(await statuses(ask, 60, '/api/items'))], [200])
  assert.equal((await ask('/API//items/')).status, 429)
  assert.deepEqual(await statuses(ask, 2, '/health'), [200, 200])
})
rules.close()

// #region challenge
const features = await loadRules({
  source: fileSource('rules-by-feature.yaml'),
  values: { plan: () => 'free', action: (req) => req.get('X-Action') },
})

const shop = express()
shop.use(
  rateLimit({
    rules: features,
    onDenied: (req, res, next, { outcome }) => {
      if (outcome?.type !== 'challenge') return res.status(429).send('Try again later.\n')
      res.status(429).json({ captcha: outcome.kind })
    },
  }),
)
shop.post('/login', (req, res) => res.status(401).send('The password is wrong.\n'))
shop.post('/share', (req, res) => {
  const earns = !req.rateLimit?.tags.includes('no-points')
  res.json({ earns })
})
// #endregion
await visit(shop, async (ask) => {
  assert.deepEqual(await statuses(ask, 5, '/login', { method: 'POST' }), Array(5).fill(401))
  const challenged = await ask('/login', { method: 'POST' })
  assert.deepEqual([challenged.status, await challenged.json()], [429, { captcha: 'captcha' }])
})
features.close()

import { runTests } from '@sluice/rules'

for (const path of ['rules-by-feature.yaml', '../rules/rules.yaml']) {
  const { current, close } = await loadRules({ source: fileSource(path) })
  const results = await runTests(current)
  assert.ok(results.length > 0)
  assert.deepEqual(
    results.filter(({ passed }) => !passed),
    [],
  )
  close()
}

const { REDIS_URL = 'redis://127.0.0.1:6379' } = process.env
const folder = await mkdtemp(join(tmpdir(), 'sluice-docs-'))
const loadFromDatabase = async () =>
  'version: 1\nname: db\nrules: [{ id: all, limit: 5, window: 1m }]\n'
const keepFile = join(folder, 'rules.good')

// #region poll
import { pollSource } from '@sluice/rules'

const polled = await loadRules({
  source: pollSource(async () => loadFromDatabase(), { every: '30s' }),
  keep: keepFile, // the last good document, for a start while the database is unavailable
})
// #endregion
polled.close()
const away = pollSource(async () => {
  throw new Error('connection refused')
})
const kept = await loadRules({ source: away, keep: keepFile })
assert.equal(kept.state().from, 'keep')
kept.close()
await rm(folder, { recursive: true })

// #region told
import { subscribe } from 'node:diagnostics_channel'

subscribe('sluice:rules', ({ name, state, version, error, changes, warnings = [] }) => {
  console.log(name, state, version, error?.message)
  if (changes?.removed.length > 0) console.log('rules that are gone:', changes.removed)
  for (const { line, message } of warnings) console.log(`line ${line}: ${message}`)
})
// #endregion

// #region support
const served = await loadRules({ source: fileSource('rules.yaml'), values: { plan: () => 'free' } })
const middleware = rateLimit({ rules: served })

async function limitOf(user) {
  const context = { path: '/api/items', ip: '203.0.113.9', user, plan: 'free' }
  const explanation = await served.explain(context)
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
served.close()

// #region without-http
import { createRuleLimiter } from '@sluice/rules'

const jobs = await loadRules({ source: fileSource('rules.yaml') })
const redis = new Redis(REDIS_URL)
const limiter = createRuleLimiter({ rules: jobs, store: redisStore(redis) })

const context = { path: '/api/items', ip: '203.0.113.9', user: '42', plan: 'free' }
const decision = await limiter.consume(context)
if (!decision.allowed) console.log(`${decision.rule}: again in ${decision.retryAfterMs} ms`)

await limiter.peek(context) // the decision of now; counts nothing
await limiter.peekAll(context) // every rule that would deny now
await limiter.peekCounts(context) // what each count has used and has left, shadow rules too
await limiter.count(context) // counts in all rules that apply, whatever remains
await limiter.refund(decision, { policies: ['api'] }) // refunds the count of one rule
// #endregion
assert.deepEqual(decision.applied, ['address', 'api'])
const { remaining } = await limiter.peek(context)
assert.equal(remaining, 59)
await limiter.close()
jobs.close()
redis.disconnect()

// #region typed
import { defineRules, staticSource } from '@sluice/rules'

const document = defineRules({
  version: 1,
  name: 'typed',
  values: { plan: ['free', 'pro'] },
  rules: [{ id: 'api', limit: { by: 'plan', free: 60, pro: 600 }, window: '1m' }],
})
const typed = await loadRules({ source: staticSource(document), values: { plan: () => 'pro' } })
// #endregion

// #region replace
await typed.replace({ ...document, rules: [{ id: 'api', limit: 10, window: '1m' }] })
// #endregion
assert.equal(typed.state().from, 'replace')

// #region explain
const explanation = await typed.explain({ path: '/api/items', ip: '203.0.113.9', plan: 'pro' })
// #endregion
assert.ok(explanation)
