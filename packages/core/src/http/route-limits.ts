import { createGuard, type Guard } from './guard.js'
import { inOrder } from './in-order.js'
import { inherit } from './inherit.js'
import type { RateLimitOptions } from './options.js'

/** What is stated for a route: options of its own, several limiters that are asked in order, or that it is not limited. */
export type RouteLimit<O> = O | readonly O[] | false

/** The limits of an application that states options for all of its routes, and others for some. */
export interface RouteLimits<R, H, O = RateLimitOptions<R, H>> {
  /** What is stated for all. It is made when somebody needs it: where nobody does, it need not be whole. */
  common(): Guard<R, H>
  /** One that is placed by hand. */
  placed(stated: O): Guard<R, H>
  /** That of a route, or of several that count together: one for each name and statement. */
  named(name: string, stated: RouteLimit<O>): Guard<R, H>
}

/** Makes guards of what is stated for routes, merged over what is stated for all. */
export function createRouteLimits<R, H>(base: RateLimitOptions<R, H>): RouteLimits<R, H> {
  const made = new Map<RouteLimit<RateLimitOptions<R, H>>, Map<string, Guard<R, H>>>()
  let common: Guard<R, H> | undefined

  function guardOf(stated: RateLimitOptions<R, H>, name?: string): Guard<R, H> {
    // Of what is no object, createGuard says so.
    return createGuard(Object(stated) === stated ? inherit(base, stated) : stated, name)
  }

  function make(name: string, stated: RouteLimit<RateLimitOptions<R, H>>): Guard<R, H> {
    if (stated === false) return inOrder([])
    if (!isList(stated)) return guardOf(stated, name)
    return inOrder(stated.map((each, i) => guardOf(each, i === 0 ? name : `${name} #${i + 1}`)))
  }

  return {
    common: () => (common ??= createGuard(base, undefined, true)),
    placed: (stated) => guardOf(stated),
    named(name, stated) {
      const names = made.get(stated) ?? new Map<string, Guard<R, H>>()
      made.set(stated, names)
      const guard = names.get(name) ?? make(name, stated)
      names.set(name, guard)
      return guard
    },
  }
}

/**
 * What the limiter of a route is called. The route that a framework adds for HEAD has the name of the one that it stands beside (whatever
 * other methods that has, and with or without the slash that a prefix may end in), or a client would have its limit twice.
 */
export function routeName({ method = [], url = '404' }: Route): string {
  const methods = typeof method === 'string' ? [method] : method
  const known = methods.includes('HEAD') || methods.includes('GET') ? 'GET' : methods[0]
  return [known, url.replace(/(?<=.)\/$/, '')].filter(Boolean).join(' ')
}

interface Route {
  readonly method?: string | readonly string[]
  readonly url?: string
}

// Array.isArray does not narrow a readonly list.
function isList<O>(stated: RouteLimit<O>): stated is readonly O[] {
  return Array.isArray(stated)
}
