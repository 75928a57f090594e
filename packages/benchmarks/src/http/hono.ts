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

type Limiter = (setup: Setup) => Promise<MiddlewareHandler | undefined>

/** An application of Hono, as a server calls it. */
export type Fetch = (request: Request, env: object) => Response | Promise<Response>

/** The applications of all limiters, for a runtime whose server takes a Request. */
export async function honoApplications(
  setup: Setup,
): Promise<readonly { readonly name: string; readonly fetch: Fetch }[]> {
  return Promise.all(
    limiters.map(async ({ name, limiter }) => ({ name, fetch: await application(limiter, setup) })),
  )
}

async function application(limiter: Limiter, setup: Setup): Promise<Fetch> {
  const { Hono } = await import('hono')
  const app = new Hono()
  const middleware = await limiter(setup)
  if (middleware !== undefined) app.use(middleware)
  app.get('/', (context) => context.json(answer))
  return (request, env) => app.fetch(request, env)
}

async function served(limiter: Limiter, setup: Setup): Promise<RequestListener> {
  const { getRequestListener } = await import('@hono/node-server')
  const listener = getRequestListener(await application(limiter, setup))
  return (request, response) => {
    void listener(request, response)
  }
}

const forwarded = 'x-forwarded-for'

interface Named {
  readonly name: string
  readonly stores: readonly Store[]
  readonly limiter: Limiter
}

const limiters: readonly Named[] = [
  named(unlimited, [], async () => undefined),
  named(yardstick, ['memory'], async (setup) => {
    const count = byHand(setup)
    return async (context, next) => {
      const fields = count(context.req.header(forwarded) ?? '')
      if (fields === undefined) return context.body(null, 429)
      await next()
      for (const [name, value] of fields) context.res.headers.set(name, value)
      return undefined
    }
  }),
  named('Sluice', ['memory', 'redis'], async ({ limit, windowMs: window, redis }) => {
    const { memoryStore, rateLimit, redisStore } = await import('@sluice/hono')
    const store = redis === undefined ? memoryStore() : redisStore(new Redis(redis, '127.0.0.1'))
    return rateLimit({ limit, window, store, address: { proxies: 1 } })
  }),
  named('hono-rate-limiter', ['memory'], async ({ limit, windowMs }) => {
    const { rateLimiter } = await import('hono-rate-limiter')
    const keyGenerator = (context: Parameters<MiddlewareHandler>[0]) =>
      context.req.header(forwarded) ?? ''
    return rateLimiter({ limit, windowMs, keyGenerator })
  }),
  named('Sluice, count', [], async ({ limit, windowMs: window }) => {
    const { rateLimit } = await import('@sluice/hono')
    return rateLimit({ limit, window, address: { proxies: 1 }, count: 'failures' })
  }),
]

function named(name: string, stores: readonly Store[], limiter: Limiter): Named {
  return { name, stores, limiter }
}

export const hono: readonly Contender[] = limiters.map(({ name, stores, limiter }) => ({
  framework: 'Hono',
  name,
  stores,
  listener: async (setup) => served(limiter, setup),
}))
