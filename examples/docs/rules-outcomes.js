// @ts-nocheck -- the functions of `values` take the application's own request
// A challenge, and a tag that the handler reads.
import assert from 'node:assert/strict'
// #region challenge
import { rateLimit } from '@sluice/express'
import { fileSource, loadRules } from '@sluice/rules'
import express from 'express'

const rules = await loadRules({
  source: fileSource('rules-by-feature.yaml'),
  values: { plan: () => 'free', action: (req) => req.get('X-Action') },
})

const shop = express()
shop.use(
  rateLimit({
    rules,
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
import { statuses, visit } from './check/visit.js'

await visit(shop, async (ask) => {
  assert.deepEqual(await statuses(ask, 5, '/login', { method: 'POST' }), Array(5).fill(401))
  const challenged = await ask('/login', { method: 'POST' })
  assert.deepEqual([challenged.status, await challenged.json()], [429, { captcha: 'captcha' }])
})
rules.close()
