// Checked by the compiler alone: npm run check:types.
import type { Request, RequestHandler, Response } from 'express'
import express from 'express'
import { expectTypeOf } from 'vitest'
import {
  byHeader,
  byIp,
  byRoute,
  byUser,
  firstOf,
  gcra,
  notLimited,
  RateLimit,
  rateLimit,
  slidingWindow,
  type RequestDecision,
  type Keys,
  type Limiter,
  type OnDenied,
  type RateLimitMiddleware,
  type RateLimitOptions,
  type ResponseOutcome,
} from '../src/index.js'

const app = express()
const policy = slidingWindow({ limit: 5, window: '1m' })

// A middleware of Express.

expectTypeOf(rateLimit({ limit: 5, window: '1m' })).toExtend<RequestHandler>()
app.use(rateLimit({ limit: 5, window: '1m' }))
app.get('/', rateLimit({ limit: 5, window: '1m' }), (request, response) => {
  expectTypeOf(request.rateLimit).toEqualTypeOf<RequestDecision | undefined>()
  expectTypeOf(response).toExtend<Response>()
})

app.get('/items/:id', rateLimit({ limit: 5, window: '1m' }), (request) => {
  expectTypeOf(request.params).toEqualTypeOf<{ id: string }>()
})

// The limiter of the middleware.

expectTypeOf(rateLimit({ limit: 5, window: '1m' })).toEqualTypeOf<RateLimitMiddleware>()
expectTypeOf(rateLimit({ limit: 5, window: '1m' }).limiter).toEqualTypeOf<Limiter>()

// oxlint-disable-next-line oxc/no-async-endpoint-handlers -- Express 5 awaits handlers
app.get('/items/:id/:part', async (request) => {
  const limit = rateLimit({ limit: 5, window: '1m' })
  expectTypeOf(limit.keyOf(request)).toEqualTypeOf<Promise<Keys>>()
  await limit.limiter.reset(await limit.keyOf(request))
  // @ts-expect-error: a web Request
  await limit.keyOf(new globalThis.Request('http://localhost/'))
})

// Every function receives Express's own request, sync or async.

rateLimit({
  policies(request) {
    expectTypeOf(request).toEqualTypeOf<Request>()
    return request.get('plan') === 'pro' ? { minute: policy, day: policy } : { minute: policy }
  },
  key: {
    async minute(request, view) {
      expectTypeOf(request).toEqualTypeOf<Request>()
      expectTypeOf(view.raw).toEqualTypeOf<Request>()
      return request.path
    },
    day: notLimited,
  },
  async cost(request) {
    expectTypeOf(request).toEqualTypeOf<Request>()
    return request.path.length
  },
  skip(request) {
    expectTypeOf(request).toEqualTypeOf<Request>()
    return request.path === '/health'
  },
  body(request, decision) {
    expectTypeOf(request).toEqualTypeOf<Request>()
    expectTypeOf(decision).toEqualTypeOf<RequestDecision>()
    return { path: request.path }
  },
  count(outcome) {
    expectTypeOf(outcome).toEqualTypeOf<ResponseOutcome>()
    return outcome.status === 401
  },
})
rateLimit({ limit: async (request) => request.path.length, window: '1m', algorithm: gcra })
rateLimit({ policies: policy, key: [byIp(), byRoute(), (request) => request.hostname] })
rateLimit({ policies: { user: policy }, key: { user: byUser((request: Request) => request.path) } })
rateLimit({
  policies: policy,
  key: firstOf(
    byUser((request) => request.get('x-user')),
    byIp(),
  ),
})
rateLimit({
  policies: policy,
  key: firstOf(
    (request) => {
      expectTypeOf(request).toEqualTypeOf<Request>()
      return request.get('x-user')
    },
    byHeader('x-api-key'),
    byIp(),
  ),
})
const prepared = firstOf(
  byUser((request: Request) => request.get('x-user')),
  byIp(),
)
rateLimit({ policies: policy, key: prepared })
rateLimit({ policies: policy, key: ['user', 42, firstOf(byHeader('x-api-key'), byIp()), () => 42] })
rateLimit({ policies: policy, key: (request) => (request.path === '/' ? byIp() : byRoute()) })
rateLimit({
  policies: policy,
  key: async (request) => (request.path === '/' ? notLimited : ['a', 42]),
})
function ofCaller(request: Request) {
  return request.path === '/' ? notLimited : ['path', request.path]
}
rateLimit({ policies: policy, key: ofCaller })
rateLimit({
  policies: policy,
  onDenied(request, response, next, decision) {
    expectTypeOf([request, response, next, decision]).toExtend<Parameters<OnDenied>[number][]>()
    expectTypeOf(decision).toEqualTypeOf<RequestDecision>()
    response.status(503).end(request.path)
  },
})
expectTypeOf<RateLimitOptions['onDenied']>().toEqualTypeOf<OnDenied | undefined>()

// As a decorator.

class Reports {
  @RateLimit({ policies: policy, key: (request) => request.path })
  read(request: Request, response: Response): void {
    response.send(request.path)
  }

  @RateLimit({ policies: policy })
  async create(): Promise<void> {}

  // @ts-expect-error: not a handler
  @RateLimit({ policies: policy })
  count(id: number): number {
    return id
  }

  // @ts-expect-error: an accessor is not a method
  @RateLimit({ policies: policy })
  get handler(): RequestHandler {
    return rateLimit({ policies: policy })
  }

  // @ts-expect-error: no such option
  @RateLimit({ policies: policy, windowMs: 1000 })
  remove(): void {}
}
expectTypeOf<Reports['create']>().toEqualTypeOf<() => Promise<void>>()

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

// Wrong options do not compile. packages/conformance/test/adapters/options.test-d.ts has those that Koa refuses as well.

// @ts-expect-error: an option of another library
rateLimit({ limit: 5, windowMs: 60_000 })
// @ts-expect-error: undefined is not a key
rateLimit({ policies: policy, key: (request) => request.get('x-api-key') })
// @ts-expect-error: a cost is a number
rateLimit({ policies: policy, cost: (request) => request.path })
// @ts-expect-error: a boolean, not a string
rateLimit({ policies: policy, skip: (request) => request.path })
// @ts-expect-error: the last argument is a decision
rateLimit({ policies: policy, onDenied: (_request, _response, _next, message: string) => message })
