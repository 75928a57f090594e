// Checked by the compiler alone: npm run check:types.
import fastify, { type FastifyPluginAsync, type FastifyReply, type FastifyRequest } from 'fastify'
import { expectTypeOf } from 'vitest'
import {
  byIp,
  byRoute,
  byUser,
  gcra,
  notLimited,
  RateLimit,
  rateLimit,
  slidingWindow,
  type RequestDecision,
  type Keys,
  type Limiter,
  type OnDenied,
  type RateLimitOptions,
  type RateLimitPluginOptions,
  type ResponseOutcome,
} from '../src/index.js'

const app = fastify()
const policy = slidingWindow({ limit: 5, window: '1m' })

// A plugin of Fastify.

expectTypeOf(rateLimit).toEqualTypeOf<FastifyPluginAsync<RateLimitPluginOptions>>()
app.register(rateLimit, { limit: 5, window: '1m' })
app.register(rateLimit, { policies: policy, global: false, hook: 'preHandler' })
app.get('/', (request) => {
  expectTypeOf(request.rateLimit).toEqualTypeOf<RequestDecision | undefined>()
})

// The options of a route.

app.get('/own', { config: { sluice: { limit: 5 } } }, () => 'own')
app.get('/list', { config: { sluice: [{ limit: 5 }, { policies: policy }] } }, () => 'list')
app.get('/none', { config: { sluice: false } }, () => 'none')
app.route({
  method: 'GET',
  url: '/items/:id',
  config: {
    sluice: {
      key(request, view) {
        expectTypeOf(request).toEqualTypeOf<FastifyRequest>()
        expectTypeOf(view.raw).toEqualTypeOf<FastifyRequest>()
        return request.hostname
      },
    },
  },
  handler: () => 'item',
})
// @ts-expect-error: a string instead of a number
app.get('/wrong', { config: { sluice: { limit: '5' } } }, () => 'wrong')
// Placed at any hook up to `preHandler`.

app.get<{ Params: { id: string } }>(
  '/by-hand/:id',
  {
    onRequest: app.sluice(),
    preParsing: app.sluice({ limit: 5 }),
    preValidation: [app.sluice({ limit: 5 })],
    preHandler: app.sluice({ key: (request) => request.ip }),
  },
  ({ params }) => params.id,
)
app.addHook('onRequest', app.sluice({ policies: policy }))
// @ts-expect-error: the hook is an option of the plugin
app.sluice({ policies: policy, hook: 'preHandler' })

// A route can use a placed limit, which has its limiter.

const placed = app.sluice({ limit: 5 })
app.get('/placed', { config: { sluice: placed } }, () => 'placed')
app.get('/both', { config: { sluice: [placed, { limit: 5 }] } }, () => 'both')
expectTypeOf(placed.limiter).toEqualTypeOf<Limiter>()
expectTypeOf(app.sluice.limiter).toEqualTypeOf<Limiter>()
// oxlint-disable-next-line oxc/no-async-endpoint-handlers -- Fastify awaits handlers
app.post<{ Body: { name: string } }>('/unblocked', async (request) => {
  const limit = app.sluice({ limit: 5 })
  expectTypeOf(limit.keyOf(request)).toEqualTypeOf<Promise<Keys>>()
  await app.sluice.limiter.reset(await app.sluice.keyOf(request, 'GET /own'))
  // @ts-expect-error: a web Request
  await limit.keyOf(new Request('http://localhost/'))
})
expectTypeOf(app.sluice.limiterOf('GET /own')).toEqualTypeOf<Limiter>()
// @ts-expect-error: it is read only
app.sluice.limiter = placed.limiter

const http2 = fastify({ http2: true })
http2.register(rateLimit, { policies: policy })
http2.get('/', { preHandler: http2.sluice({ limit: 5 }) }, ({ rateLimit }) => rateLimit)
http2.addHook('preHandler', http2.sluice())
http2.get('/placed', { config: { sluice: http2.sluice() } }, () => 'placed')

// Every function receives Fastify's own request, sync or async.

app.register(rateLimit, {
  policies(request) {
    expectTypeOf(request).toEqualTypeOf<FastifyRequest>()
    return request.headers['plan'] === 'pro' ? { minute: policy, day: policy } : { minute: policy }
  },
  key: {
    async minute(request, view) {
      expectTypeOf(request).toEqualTypeOf<FastifyRequest>()
      expectTypeOf(view.raw).toEqualTypeOf<FastifyRequest>()
      return request.url
    },
    day: notLimited,
  },
  async cost(request) {
    expectTypeOf(request).toEqualTypeOf<FastifyRequest>()
    return request.url.length
  },
  skip(request) {
    expectTypeOf(request).toEqualTypeOf<FastifyRequest>()
    return request.url === '/health'
  },
  body(request, decision) {
    expectTypeOf(request).toEqualTypeOf<FastifyRequest>()
    expectTypeOf(decision).toEqualTypeOf<RequestDecision>()
    return { path: request.url }
  },
  count(outcome) {
    expectTypeOf(outcome).toEqualTypeOf<ResponseOutcome>()
    return outcome.status === 401
  },
})
app.register(rateLimit, { limit: async ({ url }) => url.length, window: '1m', algorithm: gcra })
app.register(rateLimit, {
  policies: policy,
  key: [byIp(), byRoute(), (request) => request.hostname],
})
app.register(rateLimit, {
  policies: policy,
  key: byUser((request: FastifyRequest) => request.hostname),
})
app.register(rateLimit, {
  policies: policy,
  onDenied(request, reply, decision) {
    expectTypeOf(request).toEqualTypeOf<FastifyRequest>()
    expectTypeOf(reply).toEqualTypeOf<FastifyReply>()
    expectTypeOf(decision).toEqualTypeOf<RequestDecision>()
    return reply.code(503).send(request.url)
  },
})
expectTypeOf<RateLimitOptions['onDenied']>().toEqualTypeOf<OnDenied | undefined>()

// As a decorator.

class Reports {
  @RateLimit({ policies: policy, key: (request) => request.url })
  read(request: FastifyRequest<{ Params: { id: string } }>, reply: FastifyReply): void {
    reply.send(request.params.id)
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
  get handler(): () => string {
    return () => 'hello'
  }

  // @ts-expect-error: no such option
  @RateLimit({ policies: policy, windowMs: 1000 })
  remove(): void {}
}
expectTypeOf<Reports['create']>().toEqualTypeOf<() => Promise<void>>()

// `limit` with `window`, and `policies` exclude each other.

// @ts-expect-error: two of them
app.sluice({ limit: 5, window: '1m', policies: policy })
// @ts-expect-error: two of them
app.sluice({ limit: 5, window: '1m', policies: { minute: policy } })
// @ts-expect-error: a builder requires `limit` and `window`
app.sluice({ policies: policy, algorithm: gcra })
// @ts-expect-error: two of them
app.register(rateLimit, { limit: 5, window: '1m', policies: policy })
// @ts-expect-error: two of them
app.get('/two', { config: { sluice: { limit: 5, policies: policy } } }, () => 'two')

// A record of keys must have the names of the policies.

app.sluice({
  policies: { user: policy, address: policy },
  key: { user: 'ada', address: byIp() },
})
app.sluice({
  policies: { user: policy, address: policy },
  key: { user: notLimited, address: byIp() },
})
app.sluice({ policies: policy, key: { default: 'all' } })
app.sluice({ policies: (request) => ({ [request.url]: policy }), key: { pro: 'all' } })
// @ts-expect-error: a key is missing
app.sluice({ policies: { user: policy, address: policy }, key: { user: 'ada' } })
// @ts-expect-error: no such policy
app.sluice({ policies: { user: policy }, key: { usr: 'ada' } })
// @ts-expect-error: one too many
app.sluice({ policies: { user: policy }, key: { user: 'ada', address: byIp() } })

// Options in a variable need no `as const`, and may have the type `RateLimitOptions`.

const inVariable = { limit: 5, window: '1m' }
app.sluice(inVariable)
app.sluice({ ...inVariable, key: 'all' })
app.register(rateLimit, inVariable)
app.get('/in-variable', { config: { sluice: inVariable } }, () => 'limited')
const typed: RateLimitOptions = { policies: { user: policy }, key: { user: 'ada' } }
app.sluice(typed)

// Wrong options do not compile.

// @ts-expect-error: a string instead of a number
app.register(rateLimit, { limit: '5', window: '1m' })
// @ts-expect-error: a duration without a unit. In the options of the plugin, whose type is that of Fastify, it is an error at the start.
app.sluice({ limit: 5, window: '60' })
// @ts-expect-error: an option of another library
app.register(rateLimit, { limit: 5, timeWindow: 60_000 })
// @ts-expect-error: a hook after the handler
app.register(rateLimit, { policies: policy, hook: 'onSend' })
// @ts-expect-error: a boolean, not a string
app.register(rateLimit, { policies: policy, global: 'no' })
// @ts-expect-error: a request has no such property
app.register(rateLimit, { policies: policy, key: (request) => request.userId })
// @ts-expect-error: a number is not a key
app.register(rateLimit, { policies: policy, key: () => 42 })
// @ts-expect-error: undefined is not a key
app.register(rateLimit, {
  policies: policy,
  key: (request: FastifyRequest) => request.headers['x-api-key'],
})
// @ts-expect-error: a cost is a number
app.register(rateLimit, { policies: policy, cost: (request: FastifyRequest) => request.url })
// @ts-expect-error: a builder with other options
app.register(rateLimit, { limit: 5, window: '1m', algorithm: policy })
// @ts-expect-error: the last argument is a decision
app.register(rateLimit, {
  policies: policy,
  onDenied: (_request, _reply, message: string) => message,
})
