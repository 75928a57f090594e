// Checked by the compiler alone: npm run check:types.
import type { DynamicModule, ExecutionContext } from '@nestjs/common'
import type { Request } from 'express'
import type { FastifyRequest } from 'fastify'
import { expectTypeOf } from 'vitest'
import {
  byHeader,
  byIp,
  byUser,
  firstOf,
  RateLimit,
  RateLimitDecision,
  RateLimitModule,
  type Limiter,
  type RateLimiters,
  slidingWindow,
  SkipRateLimit,
  type Decision,
  type NestRequest,
  type RateLimitOptions,
  type RateLimitOptionsFactory,
} from '../src/index.js'

const perMinute = { limit: 1, window: '1m' } as const
const policies = { default: slidingWindow(perMinute) }

// Without a type of its own, a request is what both platforms have.

RateLimit({
  ...perMinute,
  key: (request, view) => {
    expectTypeOf(request).toEqualTypeOf<NestRequest>()
    expectTypeOf(view.raw).toEqualTypeOf<NestRequest>()
    return request.headers.authorization ?? request.url
  },
  cost: (request) => (request.method === 'GET' ? 1 : 2),
  // @ts-expect-error: only one of the platforms has it
  skip: (request) => request.protocol === 'http',
})
expectTypeOf<NestRequest['rateLimit']>().toEqualTypeOf<Decision | undefined>()
expectTypeOf<Request>().toExtend<NestRequest>()
expectTypeOf<FastifyRequest>().toExtend<NestRequest>()

// A type of its own reaches every function, be it said or told by a parameter.

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
    expectTypeOf(decision).toEqualTypeOf<Decision>()
    return request.id
  },
})
RateLimit([{ ...perMinute, key: byUser((request: Request) => request.path) }, perMinute])
RateLimitModule.forRoot<Request>({ ...perMinute, key: ({ hostname }) => hostname, global: false })

// What is allowed is said in one way.

const policy = policies.default
// @ts-expect-error: in two
RateLimit({ ...perMinute, policy })
// @ts-expect-error: in two
RateLimit({ policy, policies })
// @ts-expect-error: in two
RateLimitModule.forRoot({ ...perMinute, policy })
RateLimit({ limit: 5 })
RateLimitModule.forRoot({ global: false })

// A record of keys has the names of the policies.

RateLimit({ policies: { user: policy, address: policy }, key: { user: 'ada', address: byIp() } })
// @ts-expect-error: a key is missing
RateLimit({ policies: { user: policy, address: policy }, key: { user: 'ada' } })
// @ts-expect-error: no such policy
RateLimit({ policies: { user: policy }, key: { usr: 'ada' } })

// Options in a variable need no `as const`.

const inVariable = { limit: 5, window: '1m' }
RateLimit(inVariable)
RateLimit([inVariable, { policy }])
RateLimitModule.forRoot(inVariable)
const typed: RateLimitOptions = { policies, key: { default: 'all' } }
RateLimit(typed)
// @ts-expect-error: a duration with no unit
RateLimit({ limit: 5, window: '60' })

// A handler of denials lets pass or throws.

RateLimit({
  ...perMinute,
  onDenied: (context, decision) => {
    expectTypeOf(context).toEqualTypeOf<ExecutionContext>()
    expectTypeOf(decision).toEqualTypeOf<Decision>()
    throw new Error('denied')
  },
})
RateLimit({ ...perMinute, onDenied: async () => true })
// @ts-expect-error: it does not say whether the request may go on
RateLimit({ ...perMinute, onDenied: (_context, { limit }) => void limit })

// Decorators stand above classes and methods, that of the decision at parameters.

expectTypeOf(RateLimit(perMinute)).toExtend<ClassDecorator & MethodDecorator>()
expectTypeOf(SkipRateLimit()).toExtend<ClassDecorator & MethodDecorator>()
expectTypeOf(RateLimitDecision()).toExtend<ParameterDecorator>()

// The limiters are a provider.

class Support {
  constructor(limiters: RateLimiters) {
    expectTypeOf(limiters.of()).toEqualTypeOf<Limiter>()
    expectTypeOf(limiters.of('Class.method')).toEqualTypeOf<Limiter>()
  }
}
expectTypeOf(Support).toBeConstructibleWith({} as RateLimiters)

// Options that are wrong do not compile.

// @ts-expect-error: no such option
RateLimit({ ...perMinute, windowMs: 1000 })
// @ts-expect-error: no number
RateLimit({ limit: '5', window: '1m' })
// @ts-expect-error: no such scope
RateLimit({ ...perMinute, scope: 'class' })
// @ts-expect-error: of the module alone
RateLimit({ ...perMinute, global: true })
// @ts-expect-error: a parameter has no options
RateLimitDecision(perMinute)

// Options may be made by a provider.

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
// @ts-expect-error: it makes no options
RateLimitModule.forRootAsync({ useFactory: () => ({ limit: '5' }) })
// @ts-expect-error: it makes none
RateLimitModule.forRootAsync({ useClass: Date })
