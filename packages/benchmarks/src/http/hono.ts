import type { RequestListener } from 'node:http'
import { Redis } from 'ioredis'
import type { MiddlewareHandler } from 'hono'
import { byHand } from './by-hand.js'
import {
  answer,
  unlimited,
  yardstick,
  type Contender,
  type Setup,
  type Store,
} from './contender.js'

async function served(limiter: MiddlewareHandler | undefined): Promise<RequestListener> {
  const { Hono } = await import('hono')
  const { getRequestListener } = await import('@hono/node-server')
  const app = new Hono()
  if (limiter !== undefined) app.use(limiter)
  app.get('/', (context) => context.json(answer))
  const listener = getRequestListener(app.fetch)
  return (request, response) => {
    void listener(request, response)
  }
}

const forwarded = 'x-forwarded-for'

export const hono: readonly Contender[] = [
  contender(unlimited, [], async () => undefined),
  contender(yardstick, ['memory'], async (setup) => {
    const count = byHand(setup)
    return async (context, next) => {
      const fields = count(context.req.header(forwarded) ?? '')
      if (fields === undefined) return context.body(null, 429)
      await next()
      for (const [name, value] of fields) context.res.headers.set(name, value)
      return undefined
    }
  }),
  contender('Sluice', ['memory', 'redis'], async ({ limit, windowMs: window, redis }) => {
    const { memoryStore, rateLimit, redisStore } = await import('@sluice/hono')
    const store = redis === undefined ? memoryStore() : redisStore(new Redis(redis, '127.0.0.1'))
    return rateLimit({ limit, window, store, address: { proxies: 1 } })
  }),
  contender('hono-rate-limiter', ['memory'], async ({ limit, windowMs }) => {
    const { rateLimiter } = await import('hono-rate-limiter')
    const keyGenerator = (context: Parameters<MiddlewareHandler>[0]) =>
      context.req.header(forwarded) ?? ''
    return rateLimiter({ limit, windowMs, keyGenerator })
  }),
  contender('Sluice, count', [], async ({ limit, windowMs: window }) => {
    const { rateLimit } = await import('@sluice/hono')
    return rateLimit({ limit, window, address: { proxies: 1 }, count: 'failures' })
  }),
]

function contender(
  name: string,
  stores: readonly Store[],
  limiter: (setup: Setup) => Promise<MiddlewareHandler | undefined>,
): Contender {
  const listener = async (setup: Setup) => served(await limiter(setup))
  return { framework: 'Hono', name, stores, listener }
}
