import { sluiceError } from '../../errors.js'
import { conflicts } from '../options/check-options.js'
import type { RateLimitOptions } from '../options/options.js'
import { joinFields, type EarlierHeaders, type HeaderField } from '../response/fields.js'
import { unlimited, type Action, type Guard, type LimiterGuard } from './action.js'

/** Combines several guards. They check a request in order, until one of them denies it. Their headers are joined. */
export function inOrder<R, H>(guards: readonly Guard<R, H>[]): Guard<R, H> {
  if (guards.length === 1) return guards[0]
  return {
    holds: guards.some(({ holds }) => holds),
    needsOutcome: guards.some(({ needsOutcome }) => needsOutcome),
    async check(view, response, earlier) {
      let all: Action<H> = unlimited
      for (const guard of guards) {
        const next = await guard.check(view, response, afterFields(earlier, all.headers))
        all = mergedActions(all, next)
        if (next.type !== 'continue') break
      }
      return all
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
  if (earlier === unlimited) return later
  const written = new Map(earlier.headers)
  const joined = joinFields({ getHeader: (name) => written.get(name) }, later.headers)
  const headers = [...new Map([...written, ...joined])]
  if (later.type === 'handle') return { ...later, headers }
  return { ...later, decision: later.decision ?? earlier.decision, headers }
}

/** The limits of an application, by the names of their limiters. */
export interface Limiters<R, H> {
  /** Adds a limit. Limiters of the same name count together, and the first one is kept. */
  add<G extends LimiterGuard<R, H>>(guard: G): G
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
      return guard
    },
    of(name) {
      const guard = guards.get(name)
      if (guard !== undefined) return guard
      throw sluiceError('SLUICE_LIMITER_UNKNOWN', name, [...guards.keys()])
    },
  }
}

/**
 * Merges the options of a route over those of the application. The name is not inherited, because the limit of a route has its own counts. An option
 * is not inherited either if the route has one that excludes it: "policies" of the route replaces "limit" and "window" of the application.
 */
export function inherit<R, H>(
  base: RateLimitOptions<R, H>,
  own: RateLimitOptions<R, H>,
): RateLimitOptions<R, H> {
  const excluded = new Set<string>(['name'])
  for (const [first, second] of conflicts) {
    if (own[first] !== undefined) excluded.add(second)
    // Only a limit of the route replaces inherited rules. Any other option that rules decide is an error beside them.
    const replaces = first !== 'rules' || second === 'limit' || second === 'policies'
    if (replaces && own[second] !== undefined) excluded.add(first)
  }
  const kept = Object.entries(base).filter(([option]) => !excluded.has(option))
  // Undefined counts as absent, and must not override an inherited option.
  const given = Object.entries(own).filter(([, value]) => value !== undefined)
  return Object.fromEntries([...kept, ...given])
}
