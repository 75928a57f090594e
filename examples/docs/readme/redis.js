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

const redis = new Redis(process.env.REDIS_URL ?? 'redis://localhost')
redis.on('error', (error) => console.error(`Redis: ${error.message}`))

const app = express()
app.use(
  rateLimit({
    store: redisStore(redis),
    policies: {
      second: gcra({ limit: 10, window: '1s' }),
      hour: slidingWindow({ limit: 1000, window: '1h' }),
    },
    key: firstOf(byHeader('X-API-Key'), byIp()),
  }),
)

app.get('/', (req, res) => res.send('Hello'))
app.listen(3000)
