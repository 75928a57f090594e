// Express behind one proxy.
import assert from 'node:assert/strict'
// #region proxy
import { rateLimit } from '@sluice/express'
import express from 'express'

const app = express()
app.set('trust proxy', 1) // one proxy in front of the server
app.get('/ip', (req, res) => res.send(req.ip))
app.use(rateLimit({ limit: 100, window: '1m' }))
// #endregion
import { visit } from './check/visit.js'

app.get('/', (_request, response) => void response.send('Hello.\n'))
const from = (list) => ({ headers: { 'X-Forwarded-For': list } })
await visit(app, async (ask) => {
  const left = async (list) => (await ask('/', from(list))).headers.get('RateLimit')
  assert.equal(await (await ask('/ip', from('192.0.2.1'))).text(), '192.0.2.1')
  assert.match(await left('192.0.2.1'), /;r=99/)
  assert.match(await left('192.0.2.2'), /;r=99/)
  // An address that the client writes itself is ignored.
  assert.match(await left('198.51.100.1, 192.0.2.2'), /;r=98/)
})
