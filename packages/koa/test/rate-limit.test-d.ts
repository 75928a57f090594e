// Checked by the compiler alone: npm run check:types.
import type { RouterContext } from '@koa/router'
import Koa, { type Context, type Middleware } from 'koa'
import { expectTypeOf } from 'vitest'
import {
  byIp,
  notLimited,
  RateLimit,
  rateLimit,
  slidingWindow,
  type RequestDecision,
  type Keys,
  type Limiter,
  type RateLimitMiddleware,
  type RateLimitOptions,
} from '../src/index.js'

const policy = slidingWindow({ limit: 5, window: '1m' })
const limit = rateLimit({ policies: policy })
expectTypeOf(limit).toEqualTypeOf<RateLimitMiddleware>()
expectTypeOf(limit).toExtend<Middleware>()
expectTypeOf(limit.limiter).toEqualTypeOf<Limiter>()
new Koa().use(async (ctx) => {
  expectTypeOf(limit.keyOf(ctx)).toEqualTypeOf<Promise<Keys>>()
  await limit.limiter.reset(await limit.keyOf(ctx))
})
// @ts-expect-error: a web Request
void limit.keyOf(new Request('http://localhost/'))

// The decision is in the state, next to the application's own properties.

interface MyState {
  user: string
}

const app = new Koa<MyState>()
app.use(rateLimit({ policies: policy }))
app.use((ctx) => {
  expectTypeOf(ctx.state.rateLimit).toEqualTypeOf<RequestDecision | undefined>()
  expectTypeOf(ctx.state.user).toEqualTypeOf<string>()
  // @ts-expect-error: the state has no such property
  ctx.body = ctx.state.tenant
})

const plain = new Koa()
plain.use(rateLimit({ policies: policy }))
plain.use((ctx) => {
  expectTypeOf(ctx.state.rateLimit).toEqualTypeOf<RequestDecision | undefined>()
  ctx.body = ctx.state['whatever']
})

// Every function receives Koa's own context.

rateLimit({
  policies: ({ path }) => (path === '/' ? { minute: policy, day: policy } : { minute: policy }),
  key: async (ctx, view) => {
    expectTypeOf(ctx).toEqualTypeOf<Context>()
    expectTypeOf(view.raw).toEqualTypeOf<Context>()
    return ctx.path
  },
  onDenied: (ctx, next, decision) => {
    expectTypeOf(decision).toEqualTypeOf<RequestDecision>()
    return ctx.path === '/' ? next() : undefined
  },
})

class Reports {
  @RateLimit({ policies: { user: policy }, key: { user: (ctx) => ctx.ip } })
  create(ctx: Context): void {
    ctx.body = 'created'
  }

  @RateLimit({ policies: policy })
  find(ctx: RouterContext): void {
    ctx.body = ctx.params
  }

  @RateLimit({ policies: policy })
  remove(this: Reports, ctx: Context): void {
    this.create(ctx)
  }

  // @ts-expect-error: not a handler
  @RateLimit({ policies: policy })
  count(id: number): number {
    return id
  }
}
expectTypeOf<Reports['create']>().toEqualTypeOf<(ctx: Context) => void>()

// A record of keys must have the names of the policies.

rateLimit({ policies: { user: policy, address: policy }, key: { user: 'ada', address: byIp() } })
rateLimit({
  policies: { user: policy, address: policy },
  key: { user: notLimited, address: byIp() },
})
rateLimit({ policies: policy, key: { default: 'all' } })
rateLimit({ policies: (request) => ({ [request.path]: policy }), key: { pro: 'all' } })

// Options in a variable need no `as const`, and may have the type `RateLimitOptions`.

const inVariable = { limit: 5, window: '1m' }
rateLimit(inVariable)
rateLimit({ ...inVariable, key: 'all' })
const typed: RateLimitOptions = { policies: { user: policy }, key: { user: 'ada' } }
rateLimit(typed)

// Wrong options do not compile. packages/conformance/test/adapters/options.test-d.ts has those that Express refuses as well.

// @ts-expect-error: an option of another library
rateLimit({ limit: 5, duration: 60_000 })
