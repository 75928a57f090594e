// Two processes that count together in one Redis (REDIS_URL): of 20 requests, spread over both, 10 are allowed.
// #region cluster
import cluster from 'node:cluster'
import { rateLimit, redisStore } from '@sluice/express'
import express from 'express'
import { Redis } from 'ioredis'
// #endregion
import { tenOfTwenty } from './check/cluster.js'

const { REDIS_URL: url } = process.env
if (url === undefined) process.exit()
process.env.PORT ??= '0' // a free port, the same for all processes
if (cluster.isPrimary) process.env.REDIS_URL = `${url}/1` // without the counts of other programs

// #region cluster
const processes = 2

if (cluster.isPrimary) {
  for (let i = 0; i < processes; i++) cluster.fork()
} else {
  const redis = new Redis(process.env.REDIS_URL ?? 'redis://localhost')
  redis.on('error', (error) => console.error(`Redis: ${error.message}`))

  const app = express()
  const store = redisStore(redis)
  app.use(rateLimit({ name: 'api', limit: 10, window: '1m', store, localShare: 1 / processes }))
  app.get('/', (_request, response) => response.send(`Hello from process ${process.pid}.\n`))
  app.listen(Number(process.env.PORT ?? 3000))
}
// #endregion

await tenOfTwenty(processes)
