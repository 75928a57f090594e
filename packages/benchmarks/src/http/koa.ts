import { Redis } from 'ioredis'
import type { Middleware } from 'koa'
import { byHand } from './by-hand.js'
import { answer, yardstick, type Contender, type Setup, type Store } from './contender.js'
import { portOf } from './listening.js'

async function served(limiter: Middleware): Promise<number> {
  const { default: Koa } = await import('koa')
  const app = new Koa({ proxy: true, maxIpsCount: 1 })
  app.use(limiter)
  app.use((context) => {
    context.body = answer
  })
  return portOf(app.listen(0, '127.0.0.1'))
}

export const koa: readonly Contender[] = [
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

function contender(
  name: string,
  stores: readonly Store[],
  limiter: (setup: Setup) => Promise<Middleware>,
): Contender {
  return { framework: 'Koa', name, stores, serve: async (setup) => served(await limiter(setup)) }
}
