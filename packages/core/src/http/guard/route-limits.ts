import { isList } from '../../options/predicates.js'
import { memoryStore } from '../../stores/memory/index.js'
import { checkOptions } from '../options/check-options.js'
import { createGuard, type Guard, type LimiterGuard } from './guard.js'
import { inherit, mergeLimits, type ListedLimit } from './merge-limits.js'
import type { RateLimitOptions } from '../options/options.js'
import { unlimited, type Action } from './action.js'
import { after } from '../../awaitable.js'
import { joinFields, type EarlierHeaders, type HeaderField } from '../response/fields.js'
import { sluiceError } from '../../errors.js'

/** The limit that a route declares: its own options, a list of limits, or `false` for no limit. */
export type RouteLimit<O> = O | readonly O[] | false

/** The property of a placed limit that holds its guard. A placed limit can be declared for a route like options. */
export const guardMade: unique symbol = Symbol('@sluice/core: guard')

/** A limit that was made for a route, with its guard. */
export interface MadeLimit<R, H> {
  readonly [guardMade]: Guard<R, H>
}

/** The limits of an application that has options for all routes, and other options for some routes. */
export interface RouteLimits<R extends object, H> {
  /** The limit of all routes. It is made on first use, so its options may be incomplete if no route uses it. */
  common(): LimiterGuard<R, H>
  /**
   * A limit that the application places at a route itself. It counts a request once, even if it is placed several times.
   *
   * @param options merged over those of all routes; undefined places the common limit
   * @param madeAhead whether the caller knows that no request handler makes it
   */
  placed(options: RateLimitOptions<R, H> | undefined, madeAhead: boolean): LimiterGuard<R, H>
  /** The limit of a route. The same name and declaration return the same limit. */
  named(name: string, declared: RouteLimit<RateLimitOptions<R, H> | MadeLimit<R, H>>): Guard<R, H>
  /**
   * Finds a limit by the name of its limiter, among those made so far.
   *
   * @throws SluiceError SLUICE_LIMITER_UNKNOWN
   */
  of(name: string): LimiterGuard<R, H>
}

/**
 * Makes the limits of routes. Their options are merged over those of all routes. Without a store in the options, limiters that have a name share one
 * memory store: those of the same name count together, and different policies under one name are an error.
 */
export function createRouteLimits<R extends object, H>(
  base: RateLimitOptions<R, H>,
): RouteLimits<R, H> {
  type Declared = RateLimitOptions<R, H> | MadeLimit<R, H>
  const shared = { ...base, store: base.store ?? memoryStore() }
  const made = new Map<RouteLimit<Declared>, Map<string, Guard<R, H>>>()
  const limiters = createLimiters<R, H>()
  let common: LimiterGuard<R, H> | undefined
  let placedCommon: LimiterGuard<R, H> | undefined

  function known(guard: LimiterGuard<R, H>): LimiterGuard<R, H> {
    limiters.add(guard)
    return guard
  }

  function commonLimit(): LimiterGuard<R, H> {
    return (common ??= known(createGuard(shared, undefined, true)))
  }

  function guardsOf(name: string, list: readonly Declared[]): readonly Guard<R, H>[] {
    const guards: [at: number, guard: Guard<R, H>][] = []
    const limits: ListedLimit<R, H>[] = []
    for (const [at, declared] of list.entries()) {
      if (isMade(declared)) guards.push([at, declared[guardMade]])
      else limits.push(listed(at, name, inherited(shared, declared)))
    }
    for (const { at, options, name } of mergeLimits(limits)) {
      guards.push([at, known(createGuard(options, name))])
    }
    return guards.sort(([first], [other]) => first - other).map(([, guard]) => guard)
  }

  return {
    common: () => placedCommon ?? commonLimit(),
    placed(own, madeAhead) {
      if (own === undefined) return (placedCommon ??= once(commonLimit()))
      const options = inherited(base, own)
      // Placed limits without a name count separately, so each has its own store.
      if (options.name === undefined && options.rules === undefined) {
        return once(createGuard(options, undefined, madeAhead))
      }
      const { store = shared.store } = options
      return once(known(createGuard({ ...options, store }, undefined, madeAhead)))
    },
    named(name, declared) {
      const names = made.get(declared) ?? new Map<string, Guard<R, H>>()
      made.set(declared, names)
      const guard = names.get(name) ?? inOrder(guardsOf(name, listOf(declared)))
      names.set(name, guard)
      return guard
    },
    of: (name) => limiters.of(name),
  }
}

/** An empty list is refused, because the application may have filtered or loaded it: only `false` removes a limit. */
function listOf<D>(declared: RouteLimit<D>): readonly D[] {
  if (declared === false) return []
  if (!isList<D>(declared)) return [declared]
  if (declared.length > 0) return declared
  const expected = 'options, a list with a limit, or false for no limit'
  throw sluiceError('SLUICE_OPTION_INVALID', 'rateLimit', 'config.rateLimit', declared, expected)
}

function isMade<R, H>(
  declared: RateLimitOptions<R, H> | MadeLimit<R, H>,
): declared is MadeLimit<R, H> {
  return guardMade in Object(declared)
}

function listed<R, H>(
  at: number,
  route: string,
  options: RateLimitOptions<R, H>,
): ListedLimit<R, H> {
  const { name = route } = options
  return { at, options, name, derived: options.name === undefined }
}

function inherited<R, H>(
  base: RateLimitOptions<R, H>,
  own: RateLimitOptions<R, H>,
): RateLimitOptions<R, H> {
  checkOptions(own)
  return inherit(base, own)
}

/**
 * The name of a route's limiter: its method and its pattern. The HEAD route that a framework adds to a GET route has the same name, because a client
 * could otherwise double its limit. For the same reason a slash at the end of the pattern is dropped: a framework with route prefixes adds both forms.
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

/**
 * Combines several guards. They check a request in order, until one of them denies it. Their headers are joined.
 */
export function inOrder<R, H>([guard, ...others]: readonly Guard<R, H>[]): Guard<R, H> {
  if (guard === undefined) return { check: () => unlimited, holds: false, settles: false }
  if (others.length === 0) return guard
  const rest = inOrder(others)
  return {
    holds: guard.holds || rest.holds,
    settles: guard.settles || rest.settles,
    check(view, response, earlier) {
      return after(guard.check(view, response, earlier), (action) =>
        action.type === 'continue'
          ? after(rest.check(view, response, afterFields(earlier, action.headers)), (next) =>
              mergedActions(action, next),
            )
          : action,
      )
    },
  }
}

/** The headers of a response to which these fields will be written. */
function afterFields(earlier: EarlierHeaders, fields: readonly HeaderField[]): EarlierHeaders {
  if (fields.length === 0) return earlier
  const written = new Map(joinFields(earlier, fields))
  return { getHeader: (name) => written.get(name) ?? earlier.getHeader(name) }
}

/** The later decision wins. A header of the earlier action stays unless the later one writes it as well. */
function mergedActions<H>(earlier: Action<H>, later: Action<H>): Action<H> {
  const written = new Map(earlier.headers)
  const joined = joinFields({ getHeader: (name) => written.get(name) }, later.headers)
  const headers = [...new Map([...written, ...joined])]
  if (later.type === 'handle') return { ...later, headers }
  return { ...later, decision: later.decision ?? earlier.decision, headers }
}

/** Makes a limit count each request once, even if it is placed several times. */
function once<R extends object, H>(limit: LimiterGuard<R, H>): LimiterGuard<R, H> {
  const seen = new WeakSet<R>()
  function isFirst(request: R): boolean {
    if (seen.has(request)) return false
    seen.add(request)
    return true
  }
  return {
    limiter: limit.limiter,
    keyOf: limit.keyOf,
    holds: limit.holds,
    settles: limit.settles,
    check: (view, ...answer) => (isFirst(view.raw) ? limit.check(view, ...answer) : unlimited),
    checkUnseen: (view, ...answer) =>
      isFirst(view.raw) ? limit.checkUnseen(view, ...answer) : unlimited,
  }
}

/** The limits of an application, by the names of their limiters. */
export interface Limiters<R, H> {
  /** Adds a limit. Limiters of the same name count together, and the first one is kept. */
  add(guard: LimiterGuard<R, H>): void
  /** @throws SluiceError SLUICE_LIMITER_UNKNOWN */
  of(name: string): LimiterGuard<R, H>
}

/** Creates an empty set of limits. */
export function createLimiters<R, H>(): Limiters<R, H> {
  const guards = new Map<string, LimiterGuard<R, H>>()
  return {
    add(guard) {
      const { name } = guard.limiter
      if (!guards.has(name)) guards.set(name, guard)
    },
    of(name) {
      const guard = guards.get(name)
      if (guard === undefined) {
        throw sluiceError('SLUICE_LIMITER_UNKNOWN', name, [...guards.keys()])
      }
      return guard
    },
  }
}
