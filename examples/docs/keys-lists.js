// Lists of addresses and keys, on Express.
import assert from 'node:assert/strict'
// #region lists
import { accessList, rateLimit } from '@sluice/express'

const blocked = accessList(['203.0.113.0/24', '2001:db8::/32'])

const guarded = rateLimit({
  limit: 100,
  window: '1m',
  allow: ['10.0.0.0/8', ['user', 'monitor']], // not limited, not counted
  deny: blocked, // receives a 403
})

// At any time: every limiter that uses the list has the new entries at once.
blocked.replace(['203.0.113.0/24', '198.51.100.7'])
// #endregion
import express from 'express'
import { visit } from './check/visit.js'

const app = express().set('trust proxy', 1)
app.use(guarded, (_request, response) => void response.send('Hello.\n'))
await visit(app, async (ask) => {
  const from = (address) => ask('/', { headers: { 'X-Forwarded-For': address } })
  assert.equal((await from('203.0.113.9')).status, 403)
  assert.equal((await from('198.51.100.7')).status, 403)
  assert.equal((await from('2001:db8::1')).status, 200)
  assert.equal((await from('10.1.2.3')).headers.get('RateLimit'), null)
})
