import type { RequestListener } from 'node:http'
import { Redis } from 'ioredis'
import type { Middleware } from 'koa'
import { byHand } from './by-hand.js'
import { answer, contenderOf, unlimited, yardstick, type Contender } from './contender.js'

async function served(limiter: Middleware | undefined): Promise<RequestListener> {
  const { default: Koa } = await import('koa')
  const app = new Koa({ proxy: true, maxIpsCount: 1 })
  if (limiter !== undefined) app.use(limiter)
  app.use((context) => {
    context.body = answer
  })
  const listener = app.callback()
  return (request, response) => {
    void listener(request, response)
  }
}

const contender = contenderOf('Koa', served)

export const koa: readonly Contender[] = [
  contender(unlimited, [], async () => undefined),
  contender(yardstick, ['memory'], async (setup) => {
    const count = byHand(setup)
    return async (context, next) => {
      const fields = count(context.ip)
      if (fields === undefined) {
        context.status = 429
        return
      }
      for (const [name, value] of fields) context.set(name, value)
      await next()
    }
  }),
  contender('Sluice', ['memory', 'redis'], async ({ limit, windowMs: window, redis }) => {
    const { memoryStore, rateLimit, redisStore } = await import('@sluice/koa')
    const store = redis === undefined ? memoryStore() : redisStore(new Redis(redis, '127.0.0.1'))
    return rateLimit({ limit, window, store })
  }),
  contender('koa-ratelimit', ['memory', 'redis'], async ({ limit, windowMs, redis }) => {
    const { default: ratelimit } = await import('koa-ratelimit')
    const common = { max: limit, duration: windowMs }
    if (redis === undefined) return ratelimit({ ...common, driver: 'memory', db: new Map() })
    return ratelimit({ ...common, driver: 'redis', db: new Redis(redis, '127.0.0.1') })
  }),
]
