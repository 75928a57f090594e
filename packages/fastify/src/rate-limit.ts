import { assertOneOf, createRouteLimits, routeName, warnOfUnseenRoute } from '@sluice/core/http'
import type { FastifyInstance, FastifyPluginAsync, FastifyRequest, RouteOptions } from 'fastify'
import { fastifyPlugin } from 'fastify-plugin'
import type { Limit, OnDenied } from './admit.js'
import { followed } from './followed.js'
import { hookOf } from './hook.js'
import type { RateLimitPluginOptions } from './options.js'
import { createPlacing } from './placed.js'

/**
 * Limits the rate of requests to all routes of the scope that it is registered in, and of the scopes below. Where it is registered in one of
 * these again, the nearest one rules. The decision is in `request.rateLimit`.
 *
 * @example
 * await app.register(rateLimit, { limit: 100, window: '1m' })
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
  let hasStarted = false
  const placing = createPlacing(limits, () => hasStarted)

  fastify.decorate('rateLimit', placing.decorator)
  if (!fastify.hasRequestDecorator('rateLimit')) fastify.decorateRequest('rateLimit')
  // A decorator is inherited by all scopes below, as far as to the next registration.
  const scope = fastify.rateLimit

  const seen = Symbol('@sluice/fastify: seen')
  const ahead: (() => unknown)[] = []
  // For `reply.callNotFound()`, which runs preHandler hooks again: those of the 404 handler.
  let asked = hook === 'preHandler' ? new WeakSet<FastifyRequest>() : undefined

  // Appended to the hooks of each route, the limit runs after those of its scopes, whenever they are added, and after those that the route declares.
  fastify.addHook('onRoute', function limitRoute(route) {
    const name = routeName(route)
    const limitOfRoute = (): Limit | undefined =>
      this.rateLimit === scope ? limitOf(name, route) : undefined
    const limit = hookOf((request) => (isAskedAgain(request) ? undefined : limitOfRoute()))
    Reflect.set(route, hook, [route[hook] ?? [], limit].flat())
    route.handler = followed(route.handler)
    route.config = Object.assign({}, route.config, { [seen]: true })
    ahead.push(limitOfRoute)
  })
  // Not before: the scope of a route may be given a registration of its own after the route was declared.
  fastify.addHook('onReady', async () => {
    for (const makeLimit of ahead) makeLimit()
    hasStarted = true
  })
  // For requests that match no route, and for routes that were declared before the plugin was loaded.
  const instance: { addHook(name: string, handler: object): unknown } = fastify
  instance.addHook(hook, hookOf(limitOfUnseen))

  function limitOfUnseen(request: FastifyRequest): Limit | undefined {
    if (request.server.rateLimit !== scope) return undefined
    const { config } = request.routeOptions
    if (Reflect.has(config, seen)) return undefined
    const name = routeName(config)
    if (!request.is404) {
      if (hook !== 'onRequest') warnOfUnseenRoute(name, hook)
      asked ??= new WeakSet()
    }
    return isAskedAgain(request) ? undefined : limitOf(name, { config })
  }

  function limitOf(name: string, { config }: Pick<RouteOptions, 'config'>): Limit | undefined {
    const own = config?.rateLimit
    if (own !== undefined) return limits.named(name, own)
    return global ? (placing.common() ?? ofOthers) : undefined
  }

  function isAskedAgain(request: FastifyRequest): boolean {
    if (asked === undefined) return false
    if (asked.has(request)) return true
    asked.add(request)
    return false
  }
}
