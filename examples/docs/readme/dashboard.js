import { createDashboard } from '@sluice/dashboard'
import { rateLimit } from '@sluice/express'
import express from 'express'

const limit = rateLimit({ name: 'api', limit: 100, window: '1m' })

const dashboard = createDashboard({
  limiters: { api: limit.limiter },
  // Your own check of the session: 'write', 'read', or undefined for everybody else.
  authorize: (req) => (req.headers.authorization === 'Bearer secret' ? 'write' : undefined),
})

const app = express()
app.use('/limits', dashboard.handler)
app.use(limit)
app.get('/', (req, res) => res.send('Hello'))
app.listen(3000)
