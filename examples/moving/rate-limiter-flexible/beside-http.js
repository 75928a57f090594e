// #region app
import { fixedWindow, rateLimit } from '@sluice/express'
import express from 'express'
import { RateLimiterMemory } from 'rate-limiter-flexible'

export const app = express()
export const compared = { same: 0, stricter: 0, looser: 0 }

// Runs first, to see the requests that the old limiter denies too. It denies nothing and writes no header.
app.use(
  rateLimit({
    limit: 10,
    window: '1m',
    algorithm: fixedWindow,
    skip: (req) => req.path === '/health',
    dryRun: true,
  }),
)

app.use((req, res, next) => {
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

const perAddress = new RateLimiterMemory({ points: 10, duration: 60 })
app.use(async (req, res, next) => {
  try {
    if (req.path !== '/health') await perAddress.consume(req.ip)
    next()
  } catch (rejection) {
    if (rejection instanceof Error) return next(rejection)
    res.status(429).send('Too many requests.')
  }
})
// #endregion
