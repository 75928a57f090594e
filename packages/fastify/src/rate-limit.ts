import { warnOfUnseenRoute } from '@sluice/core/http'
import { checked, isBoolean, oneOf, readOptions, sluiceError } from '@sluice/core/internal'
import type { FastifyInstance, FastifyPluginAsync, FastifyRequest, RouteOptions } from 'fastify'
import { fastifyPlugin } from 'fastify-plugin'
import { followed, hookOf, type Limit } from './apply-limit.js'
import { createInstanceDecorator } from './instance-decorator.js'
import { createRouteLimits, routeName } from './route-limits.js'
import type { RateLimitPluginOptions, RouteRateLimit } from './options.js'

/**
 * Limits the rate of requests to all routes of the scope in which it is registered, and of the scopes below. If it is registered again in one of
 * these, the nearest registration applies. The decision is in `request.rateLimit`.
 *
 * @example
 * import { rateLimit } from '@sluice/fastify'
 * import fastify from 'fastify'
 *
 * const app = fastify()
 * await app.register(rateLimit, { limit: 100, window: '1m' })
 * app.post('/reports', { config: { sluice: { limit: 5 } } }, () => 'Created.')
 * @throws SluiceError at the start of the application, if an option is missing, unknown or wrong
 */
export const rateLimit: FastifyPluginAsync<RateLimitPluginOptions> = fastifyPlugin(
  registerRateLimit,
  { fastify: '5.x', name: '@sluice/fastify' },
)

async function registerRateLimit(
  fastify: FastifyInstance,
  options: RateLimitPluginOptions,
): Promise<void> {
  assertRegistered(options)
  const { global = true, hook = 'onRequest', ...base } = options
  readOptions('rateLimit', { global, hook }, settings)

  const limits = createRouteLimits(base)
  if (global) limits.common()
  let hasStarted = false

  const decorator = createInstanceDecorator(limits, () => hasStarted)

  fastify.decorate('sluice', decorator)
  if (!fastify.hasRequestDecorator('rateLimit')) fastify.decorateRequest('rateLimit')
  // All scopes below inherit the decorator, except those with a registration of their own.
  const scope = fastify.sluice

  const seen = Symbol('@sluice/fastify: seen')
  const limitsToMake: (() => unknown)[] = []
  // `reply.callNotFound()` runs the preHandler hooks of the 404 handler in addition to those of the route.
  let checked = hook === 'preHandler' ? new WeakSet<FastifyRequest>() : undefined

  // Appended to the hooks of the route itself, so that the limit runs after the hooks of all scopes, even of those that are added later.
  fastify.addHook('onRoute', function limitRoute(route) {
    const name = routeName(route)
    const limitOfRoute = (): Limit | undefined =>
      this.sluice === scope ? limitOf(name, route.config, this) : undefined
    const limit = hookOf((request) => (isCheckedAgain(request) ? undefined : limitOfRoute()))
    Reflect.set(route, hook, [route[hook] ?? [], limit].flat())
    route.handler = followed(route.handler)
    route.config = Object.assign({}, route.config, { [seen]: true })
    limitsToMake.push(limitOfRoute)
  })
  // Made at the start and not earlier, because the scope of a route may get its own registration after the route is declared.
  fastify.addHook('onReady', async () => {
    for (const makeLimit of limitsToMake) makeLimit()
    hasStarted = true
  })
  // For requests without a route, and for routes that are declared before the plugin is loaded.
  const instance: { addHook(name: string, handler: object): unknown } = fastify
  instance.addHook(hook, hookOf(limitOfUnseen))

  function limitOfUnseen(request: FastifyRequest): Limit | undefined {
    if (request.server.sluice !== scope) return undefined
    const { config } = request.routeOptions
    if (Reflect.has(config, seen)) return undefined
    const name = routeName(config)
    if (!request.is404) {
      if (hook !== 'onRequest') warnOfUnseenRoute(name, hook)
      checked ??= new WeakSet()
    }
    return isCheckedAgain(request) ? undefined : limitOf(name, config, request.server)
  }

  function limitOf(
    name: string,
    config: RouteOptions['config'],
    instance: FastifyInstance,
  ): Limit | undefined {
    const own = config?.sluice === undefined ? leftIn(config, instance) : config.sluice
    if (own !== undefined) return limits.named(name, own)
    return global ? limits.common() : undefined
  }

  function isCheckedAgain(request: FastifyRequest): boolean {
    if (checked === undefined) return false
    if (checked.has(request)) return true
    checked.add(request)
    return false
  }
}

/**
 * The limit of a route that has moved from @fastify/rate-limit and still has its name. That plugin decorates the instance too: without it, nobody
 * else would read the limit, and the route would lose it in silence. Its options that have another name here are an error.
 */
function leftIn(
  config: RouteOptions['config'] = {},
  instance: FastifyInstance,
): RouteRateLimit | undefined {
  const left: unknown = Reflect.get(config, 'rateLimit')
  return isGiven(left) && !instance.hasDecorator('rateLimit') ? left : undefined
}

// The options are checked where the limit is made.
const isGiven = (left: unknown): left is RouteRateLimit => left !== undefined

const settings = {
  global: checked('true or false', isBoolean),
  // Fastify would accept any hook, even one that runs after the handler.
  hook: oneOf('onRequest', 'preParsing', 'preValidation', 'preHandler'),
}

/** Fastify passes options to a plugin in any case. */
function assertRegistered(options: unknown): void {
  if (options !== undefined) return
  const expected = `the plugin without a call, and its options after it: await app.register(rateLimit, { limit: 100, window: '1m' })`
  throw sluiceError('SLUICE_OPTIONS_INVALID', 'rateLimit', options, expected)
}
