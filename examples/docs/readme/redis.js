import {
  byHeader,
  byIp,
  firstOf,
  gcra,
  rateLimit,
  redisStore,
  slidingWindow,
} from '@sluice/express'
import express from 'express'
import { Redis } from 'ioredis'

const app = express()
app.use(
  rateLimit({
    store: redisStore(new Redis(process.env.REDIS_URL ?? 'redis://localhost:6379')),
    policies: {
      second: gcra({ limit: 10, window: '1s' }),
      hour: slidingWindow({ limit: 1000, window: '1h' }),
    },
    key: firstOf(byHeader('X-API-Key'), byIp()),
  }),
)

app.get('/', (req, res) => res.send('Hello'))
app.listen(3000)
