import { after, assertOneOf, createRouteLimits, routeName } from '@sluice/core/http'
import type {
  FastifyInstance,
  FastifyPluginAsync,
  FastifyReply,
  FastifyRequest,
  HookHandlerDoneFunction,
  RequestPayload,
} from 'fastify'
import { fastifyPlugin } from 'fastify-plugin'
import { admit, type Limit, type OnDenied } from './admit.js'
import type { RateLimitPluginOptions } from './options.js'

/**
 * Limits the rate of requests to all routes of the scope that it is registered in, and of the scopes below. Where it is registered in one of
 * these again, the nearest one rules. The decision is in `request.rateLimit`.
 *
 * @example
 * app.register(rateLimit, { limit: 100, window: '1m' })
 * app.post('/reports', { config: { rateLimit: { limit: 5 } } }, createReport)
 * @throws SluiceError when the application starts, where an option is missing, unknown or wrong
 */
export const rateLimit: FastifyPluginAsync<RateLimitPluginOptions> = fastifyPlugin(
  registerRateLimit,
  { fastify: '5.x', name: '@sluice/fastify' },
)

async function registerRateLimit(
  fastify: FastifyInstance,
  { global = true, hook = 'onRequest', ...base }: RateLimitPluginOptions,
): Promise<void> {
  assertOneOf('global', global, [true, false])
  // Fastify would take any, those after the handler too.
  assertOneOf('hook', hook, ['onRequest', 'preParsing', 'preValidation', 'preHandler'])

  const limits = createRouteLimits<FastifyRequest, OnDenied>(base)
  const ofOthers = global ? limits.common() : undefined
  const known = new WeakMap<object, Limit>()
  // For `reply.callNotFound()`, which runs preHandler hooks again: those of the 404 handler.
  const asked = hook === 'preHandler' ? new WeakSet<FastifyRequest>() : undefined

  fastify.decorate('rateLimit', (own) => {
    const limit = own === undefined ? limits.common() : limits.placed(own)
    return hookOf(() => limit)
  })
  if (!fastify.hasRequestDecorator('rateLimit')) fastify.decorateRequest('rateLimit')
  // A decorator is inherited by all scopes below, as far as to the next registration.
  const scope = fastify.rateLimit

  fastify.addHook('onRoute', function makeLimit(route) {
    const own = route.config?.rateLimit
    if (own === undefined) return
    // Not yet: this route's scope may still be given a registration of its own.
    fastify.addHook('onReady', async () => {
      if (this.rateLimit === scope) limits.named(routeName(route), own)
    })
  })
  // Fastify types each hook by itself.
  const instance: { addHook(name: string, handler: object): unknown } = fastify
  instance.addHook(hook, hookOf(limitFor))

  function limitFor(request: FastifyRequest): Limit | undefined {
    if (request.server.rateLimit !== scope || asked?.has(request)) return undefined
    asked?.add(request)
    const { config } = request.routeOptions
    if (config.rateLimit === undefined) return ofOthers
    const limit = known.get(config) ?? limits.named(routeName(config), config.rateLimit)
    known.set(config, limit)
    return limit
  }
}

/** A hook of any kind. Where there is a payload, it stands before the callback. */
type AnyHook = (
  request: FastifyRequest,
  reply: FastifyReply,
  payload: RequestPayload | HookHandlerDoneFunction,
  done?: RequestPayload | HookHandlerDoneFunction,
) => unknown

function hookOf(limitFor: (request: FastifyRequest) => Limit | undefined): AnyHook {
  return function rateLimitHook(request, reply, payload, done = payload) {
    const limit = limitFor(request)
    const passes = limit === undefined || admit(limit, request, reply)
    // What is known at once needs no promise, and Fastify waits for none.
    if (passes === true && typeof done === 'function') return done()
    // To wait for the answer, as `return reply` does, would go on when the client goes away.
    return after(passes, (passed) => (passed ? undefined : new Promise<undefined>(() => {})))
  }
}
