// Checked by the compiler alone: npm run check:types.
import { Hono, type Context, type MiddlewareHandler, type Next } from 'hono'
import { expectTypeOf } from 'vitest'
import {
  byIp,
  byUser,
  rateLimit,
  slidingWindow,
  type Keys,
  type Limiter,
  type RateLimitMiddleware,
  type RequestDecision,
} from '../src/index.js'

const policy = slidingWindow({ limit: 5, window: '1m' })
const limit = rateLimit({ policies: policy })
expectTypeOf(limit).toEqualTypeOf<RateLimitMiddleware>()
expectTypeOf(limit).toExtend<MiddlewareHandler>()
expectTypeOf(limit.limiter).toEqualTypeOf<Limiter>()

interface Environment {
  readonly Variables: { readonly user: { readonly id: string } }
}

const app = new Hono<Environment>()
app.use('/api/*', limit)
app.post('/reports', rateLimit({ limit: 5, window: '1m' }), async (c) => {
  expectTypeOf(c.get('rateLimit')).toEqualTypeOf<RequestDecision | undefined>()
  expectTypeOf(c.var.user.id).toEqualTypeOf<string>()
  expectTypeOf(limit.keyOf(c)).toEqualTypeOf<Promise<Keys>>()
  return c.json({ created: true })
})

// Every function receives Hono's own context.

rateLimit({
  policies: { user: policy, address: policy },
  key: { user: byUser((c: Context<Environment>) => c.get('user').id), address: byIp() },
  skip: (c) => {
    expectTypeOf(c).toEqualTypeOf<Context>()
    return c.req.path === '/health'
  },
  onDenied: async (c, next, decision) => {
    expectTypeOf(decision).toEqualTypeOf<RequestDecision>()
    return c.req.path === '/' ? next() : c.text('denied', 429)
  },
})
const existing = async (_c: Context, next: Next): Promise<void> => next()
rateLimit({ limit: 5, window: '1m', onDenied: existing, address: { proxies: 1 } })
// @ts-expect-error: `limit` and `policies` exclude each other
rateLimit({ limit: 5, window: '1m', policies: policy })
// @ts-expect-error: a record of keys must have the names of the policies
rateLimit({ policies: { user: policy, address: policy }, key: { user: 'ada' } })
