// Three ways to choose an algorithm in rateLimit.
// #region choose
import { concurrency, gcra, rateLimit, tokenBucket } from '@sluice/express'

const paced = rateLimit({ limit: 100, window: '1m', algorithm: gcra })
const bursty = rateLimit({ policies: tokenBucket({ capacity: 20, refill: 5, every: '1s' }) })
const both = rateLimit({
  policies: {
    rate: gcra({ limit: 100, window: '1m', burst: 10 }),
    parallel: concurrency({ limit: 5, lease: '30s' }),
  },
})
// #endregion
import assert from 'node:assert/strict'
import express from 'express'
import { visit } from './check/visit.js'

const hello = (_request, response) => void response.send('Hello.\n')
const app = express()
app.get('/paced', paced, hello).get('/bursty', bursty, hello).get('/both', both, hello)
await visit(app, async (ask) => {
  const policyOf = async (path) => (await ask(path)).headers.get('RateLimit-Policy')
  assert.equal(await policyOf('/paced'), '"default";q=100;w=60')
  assert.equal(await policyOf('/bursty'), '"default";q=20;w=4')
  assert.equal(await policyOf('/both'), '"rate";q=10;w=6, "parallel";q=5;qu="concurrent-requests"')
})
