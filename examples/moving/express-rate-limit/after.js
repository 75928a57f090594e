// #region app
import { fixedWindow, memoryStore, rateLimit } from '@sluice/express'
import express from 'express'

export const app = express()
const store = memoryStore()

app.use(
  rateLimit({
    name: 'all',
    limit: 10,
    window: '1m',
    algorithm: fixedWindow,
    skip: (req) => req.path === '/health',
    store,
  }),
)

const failedLogins = rateLimit({
  name: 'failed-logins',
  limit: 3,
  window: '15m',
  algorithm: fixedWindow,
  count: 'failures',
  body: { error: 'Too many failed logins.' },
  store,
})

app.get('/', (req, res) => {
  res.json({ left: req.rateLimit.remaining })
})
app.post('/login', failedLogins, (req, res) => {
  res.sendStatus(req.get('Authorization') === 'right' ? 200 : 401)
})
app.get('/health', (req, res) => {
  res.send('Well.')
})
// #endregion
