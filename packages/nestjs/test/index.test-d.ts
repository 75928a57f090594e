// Checked by the compiler alone: npm run check:types.
import type { DynamicModule, ExecutionContext } from '@nestjs/common'
import type { Request } from 'express'
import type { FastifyRequest } from 'fastify'
import { expectTypeOf } from 'vitest'
import {
  byConnection,
  byHeader,
  byIp,
  byRoute,
  byUser,
  firstOf,
  RateLimit,
  RateLimitDecision,
  RateLimitModule,
  type Keys,
  type Limiter,
  type RateLimiters,
  slidingWindow,
  SkipRateLimit,
  type RequestDecision,
  type NestCall,
  type NestRequest,
  type RateLimitOptions,
  type RateLimitOptionsFactory,
} from '../src/index.js'

const perMinute = { limit: 1, window: '1m' } as const
const policies = { default: slidingWindow(perMinute) }

// Without a type argument, a request has the properties that both platforms have.

RateLimit({
  ...perMinute,
  key: (request, view) => {
    expectTypeOf(request).toEqualTypeOf<NestRequest>()
    expectTypeOf(view.raw).toEqualTypeOf<NestRequest>()
    return request.headers.authorization ?? request.url
  },
  cost: (request) => (request.method === 'GET' ? 1 : 2),
  // @ts-expect-error: only one platform has this property
  skip: (request) => request.protocol === 'http',
})
expectTypeOf<NestRequest['rateLimit']>().toEqualTypeOf<RequestDecision | undefined>()
expectTypeOf<Request>().toExtend<NestRequest>()
expectTypeOf<FastifyRequest>().toExtend<NestRequest>()

// Every function receives the request type, from the type argument or from a parameter.

RateLimit<Request>({
  key: ({ path }) => path,
  cost: ({ query }) => Number(query['cost']),
  skip: (request) => request.accepts('html') === 'html',
  policies: (request) => {
    expectTypeOf(request).toEqualTypeOf<Request>()
    return policies
  },
})
RateLimit({ ...perMinute, key: (request: FastifyRequest) => request.hostname })
RateLimit({ ...perMinute, key: firstOf(byHeader('x-api-key'), byIp()) })
RateLimit<Request>({
  ...perMinute,
  key: firstOf(
    byUser((request) => request.ip),
    byIp(),
  ),
})
RateLimit({
  ...perMinute,
  key: firstOf(
    byUser((request: Request) => request.path),
    byIp(),
  ),
})
RateLimit<FastifyRequest>({
  window: '1m',
  limit: ({ routeOptions }) => (routeOptions.url === '/' ? 1 : 2),
  body: (request, decision) => {
    expectTypeOf(request).toEqualTypeOf<FastifyRequest>()
    expectTypeOf(decision).toEqualTypeOf<RequestDecision>()
    return request.id
  },
})
RateLimit([{ ...perMinute, key: byUser((request: Request) => request.path) }, perMinute])
RateLimitModule.forRoot<Request>({ ...perMinute, key: ({ hostname }) => hostname, global: false })

// `limit` with `window`, and `policies` exclude each other.

const policy = policies.default
// @ts-expect-error: two of them
RateLimit({ ...perMinute, policies: policy })
// @ts-expect-error: two of them
RateLimitModule.forRoot({ ...perMinute, policies: policy })
RateLimit({ limit: 5 })
RateLimitModule.forRoot({ global: false })

// A record of keys must have the names of the policies.

RateLimit({ policies: { user: policy, address: policy }, key: { user: 'ada', address: byIp() } })
// @ts-expect-error: a key is missing
RateLimit({ policies: { user: policy, address: policy }, key: { user: 'ada' } })
// @ts-expect-error: no such policy
RateLimit({ policies: { user: policy }, key: { usr: 'ada' } })

// Options in a variable need no `as const`.

const inVariable = { limit: 5, window: '1m' }
RateLimit(inVariable)
RateLimit([inVariable, { policies: policy }])
RateLimitModule.forRoot(inVariable)
const typed: RateLimitOptions = { policies, key: { default: 'all' } }
RateLimit(typed)
// @ts-expect-error: a duration without a unit
RateLimit({ limit: 5, window: '60' })

// A handler of denials returns a boolean or throws.

RateLimit({
  ...perMinute,
  onDenied: (context, decision) => {
    expectTypeOf(context).toEqualTypeOf<ExecutionContext>()
    expectTypeOf(decision).toEqualTypeOf<RequestDecision>()
    throw new Error('denied')
  },
})
RateLimit({ ...perMinute, onDenied: async () => true })
// @ts-expect-error: it does not return a boolean
RateLimit({ ...perMinute, onDenied: (_context, { limit }) => void limit })

// Decorators of classes and methods, and that of the decision for parameters.

expectTypeOf(RateLimit(perMinute)).toExtend<ClassDecorator & MethodDecorator>()
expectTypeOf(SkipRateLimit()).toExtend<ClassDecorator & MethodDecorator>()
expectTypeOf(RateLimitDecision()).toExtend<ParameterDecorator>()

// The limiters are an injectable provider.

class Support {
  constructor(limiters: RateLimiters) {
    expectTypeOf(limiters.of()).toEqualTypeOf<Limiter>()
    expectTypeOf(limiters.of('Class.method')).toEqualTypeOf<Limiter>()
  }

  async unblock(
    limiters: RateLimiters,
    express: Request,
    fastify: FastifyRequest<{ Body: string }>,
  ): Promise<void> {
    expectTypeOf(limiters.keyOf(express)).toEqualTypeOf<Promise<Keys>>()
    await limiters.of().reset(await limiters.keyOf(fastify, 'Class.method'))
    // @ts-expect-error: a web Request
    await limiters.keyOf(new globalThis.Request('http://localhost/'))
  }
}
expectTypeOf(Support).toBeConstructibleWith({} as RateLimiters)

// Wrong options do not compile.

// @ts-expect-error: no such option
RateLimit({ ...perMinute, windowMs: 1000 })
// @ts-expect-error: not a number
RateLimit({ limit: '5', window: '1m' })
// @ts-expect-error: no such scope
RateLimit({ ...perMinute, scope: 'class' })
// @ts-expect-error: an option of the module only
RateLimit({ ...perMinute, global: true })
// @ts-expect-error: a parameter has no options
RateLimitDecision(perMinute)

// A provider can return the options.

class Settings implements RateLimitOptionsFactory {
  readonly limit = 1
  createRateLimitOptions(): RateLimitOptions {
    return perMinute
  }
}
expectTypeOf(RateLimitModule.forRootAsync({ useClass: Settings })).toEqualTypeOf<DynamicModule>()
RateLimitModule.forRootAsync({ useExisting: Settings, global: false })
RateLimitModule.forRootAsync({
  inject: [Settings],
  useFactory: async ({ limit }: Settings) => ({ limit, window: '1m' }),
})
RateLimitModule.forRootAsync<Request>({
  useFactory: () => ({ ...perMinute, key: ({ path }) => path }),
})
// @ts-expect-error: it returns no options
RateLimitModule.forRootAsync({ useFactory: () => ({ limit: '5' }) })
// @ts-expect-error: it has no such method
RateLimitModule.forRootAsync({ useClass: Date })

// Outside HTTP, functions receive a call, whose type a parameter declares.

interface Socket {
  data: { userId: string }
}

RateLimit({ ...perMinute, key: byConnection() })
RateLimit({ ...perMinute, key: [byConnection(), byRoute()] })
RateLimit({
  ...perMinute,
  key: byUser((call: NestCall<Socket, string>) => {
    expectTypeOf(call.client).toEqualTypeOf<Socket | undefined>()
    expectTypeOf(call.data).toEqualTypeOf<string | undefined>()
    expectTypeOf(call.request).toEqualTypeOf<NestRequest | undefined>()
    expectTypeOf(call.context).toEqualTypeOf<ExecutionContext>()
    return call.client?.data.userId
  }),
})
RateLimit<NestCall<Socket>>({
  ...perMinute,
  key: byUser(({ client }) => client?.data.userId),
  skip: ({ type }) => type === 'rpc',
})
