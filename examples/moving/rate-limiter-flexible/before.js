// #region app
import express from 'express'
import { RateLimiterMemory } from 'rate-limiter-flexible'

export const app = express()

const perAddress = new RateLimiterMemory({ keyPrefix: 'address', points: 10, duration: 60 })
const failedLogins = new RateLimiterMemory({
  keyPrefix: 'failed-logins',
  points: 3,
  duration: 15 * 60,
  blockDuration: 60 * 60,
})

app.use(async (req, res, next) => {
  try {
    await perAddress.consume(req.ip, req.path === '/search' ? 2 : 1)
    next()
  } catch (rejection) {
    if (rejection instanceof Error) return next(rejection)
    res.set('Retry-After', `${Math.ceil(rejection.msBeforeNext / 1000)}`)
    res.status(429).send('Too many requests.')
  }
})

app.post('/login', async (req, res) => {
  const { name } = req.query
  const failures = await failedLogins.get(name)
  if (failures !== null && failures.consumedPoints > 3) return res.sendStatus(429)
  if (req.query.password === 'right') {
    await failedLogins.delete(name)
    return res.sendStatus(200)
  }
  try {
    await failedLogins.consume(name)
    res.sendStatus(401)
  } catch {
    res.sendStatus(429)
  }
})

app.get('/search', (req, res) => {
  res.send('Found.')
})
// #endregion
