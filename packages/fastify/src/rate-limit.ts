import { SluiceError } from '@sluice/core'
import { createGuard, inherit } from '@sluice/core/http'
import type {
  FastifyInstance,
  FastifyPluginAsync,
  FastifyRequest,
  onRequestAsyncHookHandler,
} from 'fastify'
import { fastifyPlugin } from 'fastify-plugin'
import { admit, type Limits } from './limit.js'
import type { RateLimitOptions, RateLimitPluginOptions, RouteRateLimit } from './options.js'
import { nameOf, routeName } from './route-name.js'

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
  check('global', global, [true, false])
  check('hook', hook, ['onRequest', 'preParsing', 'preValidation', 'preHandler'])

  const made = new Map<RouteRateLimit, Record<string, Limits>>()
  const known = new WeakMap<object, Limits>()
  // For `reply.callNotFound()`, which runs preHandler hooks again: those of the 404 handler.
  const asked = hook === 'preHandler' ? new WeakSet<FastifyRequest>() : undefined
  let ofPlugin: Limits | undefined
  const ofOthers = global ? limitsOfPlugin() : []

  // Of several in one scope, each limits what has no options of its own, and the first one what has.
  const isFirst = !Object.hasOwn(fastify, 'rateLimit')
  if (isFirst) {
    fastify.decorate('rateLimit', (own) => {
      const limits = own === undefined ? limitsOfPlugin() : [createGuard(inherited(own))]
      return hookOf(() => limits)
    })
  }
  if (!fastify.hasRequestDecorator('rateLimit')) fastify.decorateRequest('rateLimit')
  // A decorator is inherited by all scopes below, as far as to the next registration.
  const scope = fastify.rateLimit

  fastify.addHook('onRoute', function nameRoute(route) {
    const name = nameOf(route)
    route.config = { ...route.config, [routeName]: name }
    // Not yet: this route's scope may still be given a registration of its own.
    fastify.addHook('onReady', async () => {
      if (this.rateLimit === scope) limitsOfRoute(route.config?.rateLimit, name)
    })
  })
  // Fastify types each hook by itself.
  const instance: { addHook(name: string, handler: object): unknown } = fastify
  instance.addHook(hook, hookOf(limitsFor))

  function limitsFor(request: FastifyRequest): Limits {
    if (request.server.rateLimit !== scope || asked?.has(request)) return []
    asked?.add(request)
    const { config } = request.routeOptions
    let limits = known.get(config)
    if (limits === undefined) {
      // What was declared before the plugin was loaded has no name yet.
      limits = limitsOfRoute(config.rateLimit, config[routeName] ?? nameOf(config))
      known.set(config, limits)
    }
    return limits
  }

  function limitsOfRoute(own: RouteRateLimit | undefined, name: string): Limits {
    if (own === undefined) return ofOthers
    if (own === false || !isFirst) return []
    const named = made.get(own) ?? {}
    made.set(own, named)
    return (named[name] ??= [own]
      .flat()
      .map((each, i) => createGuard(inherited(each), i === 0 ? name : `${name} #${i + 1}`)))
  }

  function limitsOfPlugin(): Limits {
    return (ofPlugin ??= [createGuard(base)])
  }

  // Of what is no object (JavaScript), createGuard says so.
  function inherited(own: RateLimitOptions): RateLimitOptions {
    return Object(own) === own ? inherit(base, own) : own
  }
}

function hookOf(limitsFor: (request: FastifyRequest) => Limits): onRequestAsyncHookHandler {
  return async function rateLimitHook(request, reply) {
    // To wait for the answer, as `return reply` does, would go on when the client goes away.
    if (!(await admit(limitsFor(request), request, reply))) await new Promise(() => {})
  }
}

// Fastify would take any hook, those after the handler too.
function check(option: string, value: unknown, known: readonly unknown[]): void {
  if (known.includes(value)) return
  const message = `rateLimit: "${option}" is ${JSON.stringify(value)}. Pass one of ${JSON.stringify(known)}.`
  throw new SluiceError('SLUICE_OPTION_INVALID', message)
}
