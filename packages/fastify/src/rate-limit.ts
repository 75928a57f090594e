import { SluiceError, type Decision } from '@sluice/core'
import type {
  FastifyInstance,
  FastifyPluginAsync,
  FastifyRequest,
  RawReplyDefaultExpression,
  RawRequestDefaultExpression,
  RawServerBase,
} from 'fastify'
import { fastifyPlugin } from 'fastify-plugin'
import { hookOf, type RateLimitHook } from './hook.js'
import { createLimits } from './limits.js'
import type { Limit } from './limit.js'
import type { Hook, RateLimitOptions, RateLimitPluginOptions, RouteRateLimit } from './options.js'
import { nameOf, routeName } from './route-name.js'

declare module 'fastify' {
  interface FastifyInstance<
    RawServer extends RawServerBase,
    RawRequest extends RawRequestDefaultExpression<RawServer>,
    RawReply extends RawReplyDefaultExpression<RawServer>,
  > {
    /**
     * Makes a hook handler, to be placed by hand. Its options are merged over those of the plugin; without any, it is the plugin's own
     * limiter.
     *
     * @example
     * app.get('/me', { preHandler: [authenticate, app.rateLimit({ limit: 10, key: byUser((req) => req.user?.id) })] }, me)
     */
    rateLimit(options?: RateLimitOptions): RateLimitHook<RawServer, RawRequest, RawReply>
  }
  interface FastifyRequest {
    /** What was decided last about this request; undefined where it was not limited. */
    rateLimit?: Decision
  }
  interface FastifyContextConfig {
    /** Options of the route's own, merged over those of the plugin; a list of them, asked in order; or false: not limited. */
    rateLimit?: RouteRateLimit
    [routeName]?: string
  }
}

/**
 * Limits the rate of requests to all routes of the scope that it is registered in, those of scopes below included. Where it is registered in one
 * of these again, the nearest one rules. The decision is in `request.rateLimit`.
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

/** Every `fastify.rateLimit` of ours. Being inherited, it tells which registration is the nearest to a route. */
const scopes = new WeakSet<FastifyInstance['rateLimit']>()

async function registerRateLimit(
  fastify: FastifyInstance,
  { global = true, hook = 'onRequest', ...options }: RateLimitPluginOptions,
): Promise<void> {
  check('global', global, [true, false])
  check('hook', hook, ['onRequest', 'preParsing', 'preValidation', 'preHandler'])
  const limits = createLimits(options)
  const ofOthers = global ? limits.whole() : none
  // Of several in one scope, all limit what has no options of its own, and the first one what has.
  const isFirst = !(Object.hasOwn(fastify, 'rateLimit') && scopes.has(fastify.rateLimit))
  if (isFirst) {
    fastify.decorate('rateLimit', (own) =>
      hookOf(own === undefined ? limits.whole() : limits.placed(own)),
    )
    scopes.add(fastify.rateLimit)
  }
  if (!fastify.hasRequestDecorator('rateLimit')) fastify.decorateRequest('rateLimit')
  const scope = fastify.rateLimit
  const declared: (() => unknown)[] = []
  const known = new WeakMap<object, Limit>()
  // `reply.callNotFound()` runs the preHandler hooks again, those of the 404 handler.
  const asked = hook === 'preHandler' ? new WeakSet<FastifyRequest>() : undefined

  function limitOf(own: RouteRateLimit | undefined, name: string): Limit {
    if (own === undefined) return ofOthers
    return own === false || !isFirst ? none : limits.ofRoute(own, name)
  }

  fastify.addHook('onRoute', function nameRoute(route) {
    const name = nameOf(route)
    route.config = { ...route.config, [routeName]: name }
    // A scope below may still be given limits of its own.
    declared.push(() => this.rateLimit === scope && limitOf(route.config?.rateLimit, name))
  })
  fastify.addHook('onReady', function makeLimits() {
    for (const make of declared.splice(0)) make()
  })
  const handler = hookOf(function limitRoute(request, reply) {
    if (request.server.rateLimit !== scope || asked?.has(request)) return true
    asked?.add(request)
    const { config } = request.routeOptions
    let limit = known.get(config)
    if (limit === undefined) {
      // A route that was declared before the plugin was loaded has no name yet.
      limit = limitOf(config.rateLimit, config[routeName] ?? nameOf(config))
      known.set(config, limit)
    }
    return limit(request, reply)
  })
  const at: Record<Hook, () => unknown> = {
    onRequest: () => fastify.addHook('onRequest', handler),
    preParsing: () => fastify.addHook('preParsing', handler),
    preValidation: () => fastify.addHook('preValidation', handler),
    preHandler: () => fastify.addHook('preHandler', handler),
  }
  at[hook]()
}

const none: Limit = () => true

// Fastify would take any of its hooks, those after the handler too.
function check<T>(option: string, value: T, known: readonly T[]): void {
  if (known.includes(value)) return
  const expected = known.map((one) => JSON.stringify(one)).join(', ')
  const message = `rateLimit: "${option}" is ${JSON.stringify(value)}. Pass one of ${expected}.`
  throw new SluiceError('SLUICE_OPTION_INVALID', message)
}
