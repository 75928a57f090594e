import { rateLimit, redisStore } from '@sluice/express'
import express from 'express'
import { Redis } from 'ioredis'

const redis = new Redis(process.env.REDIS_URL ?? 'redis://localhost')
redis.on('error', (error) => console.error(`Redis: ${error.message}`))

const app = express()
app.use(rateLimit({ name: 'api', store: redisStore(redis), limit: 100, window: '1m' }))

app.get('/', (req, res) => res.send('Hello'))
app.listen(3000)
