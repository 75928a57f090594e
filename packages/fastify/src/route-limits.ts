import { memoryStore } from '@sluice/core'
import {
  checkOptions,
  createGuard,
  createLimiters,
  inherit,
  inOrder,
  type Guard,
  type LimiterGuard,
  type RateLimitOptions as Options,
} from '@sluice/core/http'
import { isList, sluiceError } from '@sluice/core/internal'
import type { FastifyRequest } from 'fastify'
import type { OnDenied } from './apply-limit.js'

type R = FastifyRequest
type RouteOptions = Options<R, OnDenied>

/** The property of a placed limit that holds its guard. A placed limit can be declared for a route like options. */
export const guardMade = '@sluice/fastify: guard'

/** A limit that was made for a route, with its guard. */
export interface MadeLimit {
  readonly [guardMade]: Guard<R, OnDenied>
}

type Declared = RouteOptions | MadeLimit

/** The limits of an application that has options for all routes, and other options for some routes. */
export interface RouteLimits {
  /** The limit of all routes. It is made on first use, so its options may be incomplete if no route uses it. */
  common(): LimiterGuard<R, OnDenied>
  /**
   * A limit that the application places at a route itself. It counts a request once, even if it is placed several times.
   *
   * @param options merged over those of all routes; undefined places the common limit
   * @param madeAhead whether the caller knows that no request handler makes it
   */
  placed(options: RouteOptions | undefined, madeAhead: boolean): LimiterGuard<R, OnDenied>
  /** The limit of a route. The same name and declaration return the same limit. */
  named(name: string, declared: Declared | readonly Declared[] | false): Guard<R, OnDenied>
  /**
   * Finds a limit by the name of its limiter, among those made so far.
   *
   * @throws SluiceError SLUICE_LIMITER_UNKNOWN
   */
  of(name: string): LimiterGuard<R, OnDenied>
}

/**
 * Makes the limits of routes. Their options are merged over those of all routes. Without a store in the options, limiters that have a name share one
 * memory store: those of the same name count together, and different policies under one name are an error.
 */
export function createRouteLimits(base: RouteOptions): RouteLimits {
  const shared = { ...base, store: base.store ?? memoryStore() }
  const declarations = new Map<unknown, Map<string, Guard<R, OnDenied>>>()
  const limiters = createLimiters<R, OnDenied>()
  let made: LimiterGuard<R, OnDenied> | undefined

  // The application may place it as well, so it counts a request once.
  function common(): LimiterGuard<R, OnDenied> {
    return (made ??= once(limiters.add(createGuard(shared, undefined, true))))
  }

  /** From the second limit of a list on, a number is appended to the name of the route. */
  function guardOf(declared: Declared, at: number, route: string): Guard<R, OnDenied> {
    if (isMade(declared)) return declared[guardMade]
    const name = at === 0 ? route : `${route} #${at + 1}`
    return limiters.add(createGuard(inherited(shared, declared), name))
  }

  return {
    common,
    placed(own, madeAhead) {
      if (own === undefined) return common()
      const options = inherited(base, own)
      // Placed limits without a name count separately, so each has its own store.
      if (options.name === undefined && options.rules === undefined) {
        return once(createGuard(options, undefined, madeAhead))
      }
      const { store = shared.store } = options
      return once(limiters.add(createGuard({ ...options, store }, undefined, madeAhead)))
    },
    named(route, declared) {
      const byRoute = declarations.get(declared) ?? new Map<string, Guard<R, OnDenied>>()
      declarations.set(declared, byRoute)
      const guard =
        byRoute.get(route) ?? inOrder(listOf(declared).map((one, at) => guardOf(one, at, route)))
      byRoute.set(route, guard)
      return guard
    },
    of: limiters.of,
  }
}

/** An empty list is refused, because the application may have filtered or loaded it: only `false` removes a limit. */
function listOf(declared: Declared | readonly Declared[] | false): readonly Declared[] {
  if (declared === false) return []
  if (!isList<Declared>(declared)) return [declared]
  if (declared.length > 0) return declared
  const expected = 'options, a list with a limit, or false for no limit'
  throw sluiceError('SLUICE_OPTION_INVALID', 'rateLimit', 'config.sluice', declared, expected)
}

function isMade(declared: Declared): declared is MadeLimit {
  return guardMade in Object(declared)
}

function inherited(base: RouteOptions, own: RouteOptions): RouteOptions {
  checkOptions(own)
  return inherit(base, own)
}

/**
 * The name of a route's limiter: its method, its pattern and its constraints, such as a version or a host. The HEAD route that a framework adds to a GET route has the same name, because a client
 * could otherwise double its limit. For the same reason a slash at the end of the pattern is dropped: a framework with route prefixes adds both forms.
 */
export function routeName({ method = [], url = '404', constraints = {} }: Route): string {
  const methods = typeof method === 'string' ? [method] : method
  const known = methods.includes('HEAD') || methods.includes('GET') ? 'GET' : methods[0]
  const constrained = Object.entries(constraints).map(([name, value]) => `${name}=${String(value)}`)
  return [known, url.replace(/(?<=.)\/$/, ''), ...constrained].filter(Boolean).join(' ')
}

interface Route {
  readonly method?: string | readonly string[]
  readonly url?: string
  readonly constraints?: Readonly<Record<string, unknown>>
}

/** Makes a limit count each request once, even if it is placed several times. */
function once(limit: LimiterGuard<R, OnDenied>): LimiterGuard<R, OnDenied> {
  const seen = new WeakSet<R>()
  return {
    ...limit,
    async check(view, response, earlier) {
      if (seen.has(view.raw)) return { type: 'continue', decision: undefined, headers: [] }
      seen.add(view.raw)
      return limit.check(view, response, earlier)
    },
  }
}
