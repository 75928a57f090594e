// #region app
import { createLimiter, fixedWindow, memoryStore } from '@sluice/core'
import express from 'express'

export const app = express()
const store = memoryStore()

const perAddress = createLimiter({
  name: 'address',
  policies: fixedWindow({ limit: 10, window: '1m' }),
  store,
})
const failedLogins = createLimiter({
  name: 'failed-logins',
  policies: fixedWindow({ limit: 3, window: '15m', block: { for: '1h', on: 'exceeded' } }),
  store,
})

app.use(async (req, res, next) => {
  try {
    const cost = req.path === '/search' ? 2 : 1
    const { allowed, retryAfterMs } = await perAddress.consume(req.ip, { cost })
    if (allowed) return next()
    // It is null if the cost is above the limit.
    if (retryAfterMs !== null) res.set('Retry-After', `${Math.ceil(retryAfterMs / 1000)}`)
    res.status(429).send('Too many requests.')
  } catch (error) {
    next(error)
  }
})

app.post('/login', async (req, res, next) => {
  try {
    // A part of a key must be one string: a query of ?name=ada&name=x, or without a name, gets a 400.
    const key = ['name', req.query.name]
    // Count before the password is checked, so that parallel guesses count too.
    const { allowed } = await failedLogins.consume(key)
    if (!allowed) return res.sendStatus(429)
    if (req.query.password !== 'right') return res.sendStatus(401)
    await failedLogins.reset(key)
    res.sendStatus(200)
  } catch (error) {
    next(error)
  }
})

app.get('/search', (req, res) => {
  res.send('Found.')
})
// #endregion
