import { SluiceError } from '@sluice/core'
import { sluiceError } from '@sluice/core/internal'

/** @param times how many modules of the application have options */
export function moduleRegistered(times: number): SluiceError {
  if (times === 0) {
    const expected = `them: imports: [RateLimitModule.forRoot({ limit: 100, window: '1m' })]`
    return sluiceError('SLUICE_OPTIONS_INVALID', 'RateLimitModule', undefined, expected)
  }
  const advice =
    `The application imports ${times} of them, and the options of one only would apply. Keep one. Pass several limits as a record: ` +
    `policies: { second: slidingWindow({ … }), hour: slidingWindow({ … }) }, and other limits of single routes to @RateLimit`
  const other = 'another forRoot or forRootAsync'
  return sluiceError('SLUICE_OPTIONS_CONFLICT', 'RateLimitModule', 'forRoot', other, advice)
}

export function requestMissing(): SluiceError {
  const message =
    `rateLimit: the context of GraphQL contains no request. Return it from the option "context" of GraphQLModule, as "req" or "request": ` +
    `context: ({ req }) => ({ req }) with Apollo on Express, context: (request, reply) => ({ request, reply }) on Fastify, ` +
    `and context: ({ extra }) => ({ request: extra.request }) for graphql-ws.`
  return new SluiceError('SLUICE_REQUEST_MISSING', message)
}

/** @param method the class and the method */
export function methodUnseen(method: string): SluiceError {
  const message =
    `rateLimit: the limit of ${method} depends on how the method ends, and no interceptor follows it. For a field resolver, let Nest run interceptors: ` +
    `fieldResolverEnhancers: ['guards', 'interceptors']. Otherwise add RateLimitGuard by RateLimit or UseGuards, to a class that Nest creates.`
  return new SluiceError('SLUICE_METHOD_UNSEEN', message)
}
