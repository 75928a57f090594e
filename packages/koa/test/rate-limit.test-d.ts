// Checked by the compiler alone: npm run check:types.
import Koa, { type Context, type Middleware } from 'koa'
import { expectTypeOf } from 'vitest'
import {
  byIp,
  gcra,
  notLimited,
  RateLimit,
  rateLimit,
  slidingWindow,
  type Decision,
  type Limiter,
  type RateLimitMiddleware,
  type RateLimitOptions,
} from '../src/index.js'

const policy = slidingWindow({ limit: 5, window: '1m' })
const limit = rateLimit({ policy })
expectTypeOf(limit).toEqualTypeOf<RateLimitMiddleware>()
expectTypeOf(limit).toExtend<Middleware>()
expectTypeOf(limit.limiter).toEqualTypeOf<Limiter>()

// The decision is in the state, beside whatever an application has there.

interface MyState {
  user: string
}

const app = new Koa<MyState>()
app.use(rateLimit({ policy }))
app.use((ctx) => {
  expectTypeOf(ctx.state.rateLimit).toEqualTypeOf<Decision | undefined>()
  expectTypeOf(ctx.state.user).toEqualTypeOf<string>()
  // @ts-expect-error: no such state
  ctx.body = ctx.state.tenant
})

const plain = new Koa()
plain.use(rateLimit({ policy }))
plain.use((ctx) => {
  expectTypeOf(ctx.state.rateLimit).toEqualTypeOf<Decision | undefined>()
  ctx.body = ctx.state['whatever']
})

// Every function sees Koa's own context.

rateLimit({
  policies: ({ path }) => (path === '/' ? { minute: policy, day: policy } : { minute: policy }),
  key: async (ctx, view) => {
    expectTypeOf(ctx).toEqualTypeOf<Context>()
    expectTypeOf(view.raw).toEqualTypeOf<Context>()
    return ctx.path
  },
  onDenied: (ctx, next, decision) => {
    expectTypeOf(decision).toEqualTypeOf<Decision>()
    return ctx.path === '/' ? next() : undefined
  },
})

class Reports {
  @RateLimit({ policies: { user: policy }, key: { user: (ctx) => ctx.ip } })
  create(ctx: Context): void {
    ctx.body = 'created'
  }
}
expectTypeOf<Reports['create']>().toEqualTypeOf<(ctx: Context) => void>()

// What is allowed is said in one way.

// @ts-expect-error: in two
rateLimit({ limit: 5, window: '1m', policy })
// @ts-expect-error: in two
rateLimit({ limit: 5, window: '1m', policies: { minute: policy } })
// @ts-expect-error: in two
rateLimit({ policy, policies: { minute: policy } })
// @ts-expect-error: a builder belongs to the short form
rateLimit({ policy, algorithm: gcra })
// @ts-expect-error: in none
rateLimit({})
// @ts-expect-error: half of the short form
rateLimit({ limit: 5 })
// @ts-expect-error: the other half
rateLimit({ window: '1m' })

// A record of keys has the names of the policies.

rateLimit({ policies: { user: policy, address: policy }, key: { user: 'ada', address: byIp() } })
rateLimit({
  policies: { user: policy, address: policy },
  key: { user: notLimited, address: byIp() },
})
rateLimit({ policies: policy, key: { default: 'all' } })
rateLimit({ policies: (request) => ({ [request.path]: policy }), key: { pro: 'all' } })
// @ts-expect-error: a key is missing
rateLimit({ policies: { user: policy, address: policy }, key: { user: 'ada' } })
// @ts-expect-error: no such policy
rateLimit({ policies: { user: policy }, key: { usr: 'ada' } })
// @ts-expect-error: one too many
rateLimit({ policies: { user: policy }, key: { user: 'ada', address: byIp() } })

// Options in a variable need no `as const`, and may have the type of all options.

const inVariable = { limit: 5, window: '1m' }
rateLimit(inVariable)
rateLimit({ ...inVariable, key: 'all' })
const typed: RateLimitOptions = { policies: { user: policy }, key: { user: 'ada' } }
rateLimit(typed)

// What is wrong does not compile.

// @ts-expect-error: a string where a number belongs
rateLimit({ limit: '5', window: '1m' })
// @ts-expect-error: a duration with no unit
rateLimit({ limit: 5, window: '60' })
// @ts-expect-error: another library's word
rateLimit({ limit: 5, duration: 60_000 })
