import type { RequestListener } from 'node:http'
import { Redis } from 'ioredis'
import type { RequestHandler } from 'express'
import { byHand } from './by-hand.js'
import { answer, contenderOf, unlimited, yardstick, type Contender } from './contender.js'

async function served(limiter: RequestHandler | undefined): Promise<RequestListener> {
  const { default: express } = await import('express')
  const app = express()
  // The load generator simulates many clients behind one proxy.
  app.set('trust proxy', 1)
  if (limiter !== undefined) app.use(limiter)
  app.get('/', (_request, response) => {
    response.json(answer)
  })
  return app
}

const contender = contenderOf('Express', served)

export const express: readonly Contender[] = [
  contender(unlimited, [], async () => undefined),
  contender(yardstick, ['memory'], async (setup) => {
    const count = byHand(setup)
    return (request, response, next) => {
      const fields = count(request.ip ?? '')
      if (fields === undefined) {
        response.status(429).end()
        return
      }
      for (const [name, value] of fields) response.setHeader(name, value)
      next()
    }
  }),
  contender('Sluice', ['memory', 'redis'], async ({ limit, windowMs: window, redis }) => {
    const { memoryStore, rateLimit, redisStore } = await import('@sluice/express')
    const store = redis === undefined ? memoryStore() : redisStore(new Redis(redis, '127.0.0.1'))
    return rateLimit({ limit, window, store })
  }),
  contender('express-rate-limit', ['memory', 'redis'], async ({ limit, windowMs, redis }) => {
    const { MemoryStore, rateLimit } = await import('express-rate-limit')
    const { rateLimitRedis } = await import('../redis/contenders/rate-limit-redis.js')
    const store =
      redis === undefined ? new MemoryStore() : rateLimitRedis(new Redis(redis, '127.0.0.1'))
    return rateLimit({ limit, windowMs, store, standardHeaders: 'draft-8', legacyHeaders: false })
  }),
]
