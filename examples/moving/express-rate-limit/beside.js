// #region app
import { fixedWindow, rateLimit as sluice } from '@sluice/express'
import express from 'express'
import { rateLimit } from 'express-rate-limit'

export const app = express()
export const compared = { same: 0, stricter: 0, looser: 0 }

// Runs first, to see the requests that the old limiter denies too. It denies nothing and writes no header.
app.use(
  sluice({
    limit: 10,
    window: '1m',
    algorithm: fixedWindow,
    skip: (req) => req.path === '/health',
    dryRun: true,
  }),
)

app.use((req, res, next) => {
  // Read it now, because the old limiter replaces it.
  const trial = req.rateLimit
  // The new limiter skips this request.
  if (trial === undefined) return next()
  res.once('finish', () => {
    const allowed = res.statusCode !== 429
    if (trial.allowed === allowed) compared.same++
    else if (allowed) compared.stricter++
    else compared.looser++
  })
  next()
})

app.use(
  rateLimit({
    windowMs: 60_000,
    limit: 10,
    standardHeaders: 'draft-8',
    legacyHeaders: false,
    skip: (req) => req.path === '/health',
  }),
)

app.get('/', (req, res) => {
  res.json({ left: req.rateLimit.remaining })
})
app.get('/health', (req, res) => {
  res.send('Well.')
})
// #endregion
