import { rateLimit } from '@sluice/express'
import { prometheus } from '@sluice/metrics'
import express from 'express'
import { register } from 'prom-client'

prometheus(register)

const app = express()
app.get('/metrics', async (req, res, next) => {
  try {
    res.type(register.contentType).send(await register.metrics())
  } catch (error) {
    next(error)
  }
})
app.use(rateLimit({ name: 'api', limit: 100, window: '1m' }))

app.get('/', (req, res) => res.send('Hello'))
app.listen(3000)
