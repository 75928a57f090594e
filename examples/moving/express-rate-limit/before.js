// #region app
import express from 'express'
import { rateLimit } from 'express-rate-limit'

export const app = express()

app.use(
  rateLimit({
    windowMs: 60_000,
    limit: 10,
    standardHeaders: 'draft-8',
    legacyHeaders: false,
    skip: (req) => req.path === '/health',
  }),
)

const failedLogins = rateLimit({
  windowMs: 15 * 60_000,
  limit: 3,
  skipSuccessfulRequests: true,
  message: { error: 'Too many failed logins.' },
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
