import type { Limiter } from '../../limiter/limiter.js'
import { isList } from '../../options/predicates.js'
import { memoryStore } from '../../stores/memory/index.js'
import { checkOptions } from '../options/check-options.js'
import { createGuard, type Guard, type LimiterGuard } from './guard.js'
import { inOrder } from './in-order.js'
import { inherit } from '../options/inherit.js'
import { createLimiters } from './limiters.js'
import { mergeLimits, type ListedLimit } from './merge-limits.js'
import type { RateLimitOptions } from '../options/options.js'

/** What is stated for a route: options of its own, several limits, each of which has to allow, or that it is not limited. */
export type RouteLimit<O> = O | readonly O[] | false

/** Where a limit that was made before, such as one that is placed by hand, has its guard: it can be stated for a route in the place of options. */
export const guardMade: unique symbol = Symbol('@sluice/core: guard')

export interface MadeLimit<R, H> {
  readonly [guardMade]: Guard<R, H>
}

/** The limits of an application that states options for all of its routes, and others for some. */
export interface RouteLimits<R, H> {
  /** The limit that is stated for all routes. It is made when it is first needed; if it never is, its options need not be complete. */
  common(): LimiterGuard<R, H>
  /**
   * A limit that is placed by hand.
   *
   * @param madeAhead whether it is known that no request handler makes it
   */
  placed(stated: RateLimitOptions<R, H>, madeAhead: boolean): LimiterGuard<R, H>
  /** The limit of a route: one for each name and statement. */
  named(name: string, stated: RouteLimit<RateLimitOptions<R, H> | MadeLimit<R, H>>): Guard<R, H>
  /**
   * The limiter that has this name, among those that have been made.
   *
   * @throws SluiceError SLUICE_LIMITER_UNKNOWN
   */
  limiterOf(name: string): Limiter
}

/**
 * Makes guards of what is stated for routes, merged over what is stated for all. If no store is stated, the limiters that have a name share a memory
 * store, so that those of one name count together and different policies under one name are an error.
 */
export function createRouteLimits<R, H>(base: RateLimitOptions<R, H>): RouteLimits<R, H> {
  type Stated = RateLimitOptions<R, H> | MadeLimit<R, H>
  const shared = { ...base, store: base.store ?? memoryStore() }
  const made = new Map<RouteLimit<Stated>, Map<string, Guard<R, H>>>()
  const limiters = createLimiters()
  let common: LimiterGuard<R, H> | undefined

  function known(guard: LimiterGuard<R, H>): LimiterGuard<R, H> {
    limiters.add(guard.limiter)
    return guard
  }

  function guardsOf(name: string, list: readonly Stated[]): readonly Guard<R, H>[] {
    const guards: [at: number, guard: Guard<R, H>][] = []
    const limits: ListedLimit<R, H>[] = []
    for (const [at, stated] of list.entries()) {
      if (isMade(stated)) guards.push([at, stated[guardMade]])
      else limits.push(listed(at, name, inherited(shared, stated)))
    }
    for (const { at, options, name } of mergeLimits(limits)) {
      guards.push([at, known(createGuard(options, name))])
    }
    return guards.sort(([first], [other]) => first - other).map(([, guard]) => guard)
  }

  return {
    common: () => (common ??= known(createGuard(shared, undefined, true))),
    placed(stated, madeAhead) {
      const options = inherited(base, stated)
      // Without a name it counts by itself: several of them may be placed.
      if (options.name === undefined) return createGuard(options, undefined, madeAhead)
      const { store = shared.store } = options
      return known(createGuard({ ...options, store }, undefined, madeAhead))
    },
    named(name, stated) {
      const names = made.get(stated) ?? new Map<string, Guard<R, H>>()
      made.set(stated, names)
      const list = stated === false ? [] : isList<Stated>(stated) ? stated : [stated]
      const guard = names.get(name) ?? inOrder(guardsOf(name, list))
      names.set(name, guard)
      return guard
    },
    limiterOf: (name) => limiters.of(name),
  }
}

function isMade<R, H>(stated: RateLimitOptions<R, H> | MadeLimit<R, H>): stated is MadeLimit<R, H> {
  return guardMade in Object(stated)
}

function listed<R, H>(
  at: number,
  route: string,
  options: RateLimitOptions<R, H>,
): ListedLimit<R, H> {
  const { name = route } = options
  return { at, options, name, derived: options.name === undefined }
}

/** @throws SluiceError where the statement is no options, or they are unknown or wrong */
function inherited<R, H>(
  base: RateLimitOptions<R, H>,
  stated: RateLimitOptions<R, H>,
): RateLimitOptions<R, H> {
  checkOptions(stated)
  return inherit(base, stated)
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
