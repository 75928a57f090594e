import { SluiceError } from '@sluice/core'

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
