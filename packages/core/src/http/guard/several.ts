import { sluiceError } from '../../errors.js'
import { conflicts } from '../options/check-options.js'
import type { RateLimitOptions } from '../options/options.js'
import { joinFields } from '../response/fields.js'
import { unlimited, type Action, type Guard, type LimiterGuard } from './action.js'

/** Combines several guards. They check a request in order, until one of them denies it. Their headers are joined. */
export function inOrder<R, H>(guards: readonly Guard<R, H>[]): Guard<R, H> {
  if (guards.length === 1) return guards[0]
  return {
    holds: guards.some(({ holds }) => holds),
    needsOutcome: guards.some(({ needsOutcome }) => needsOutcome),
    async check(view, response, earlier, seesResponse) {
      const own = new Map<string, string>()
      const written = { getHeader: (name: string) => own.get(name) }
      let last: Action<H> = unlimited
      for (const guard of guards) {
        const all = new Map(joinFields(earlier, [...own]))
        const present = { getHeader: (name: string) => all.get(name) ?? earlier.getHeader(name) }
        const action = await guard.check(view, response, present, seesResponse)
        for (const [name, value] of joinFields(written, action.headers)) own.set(name, value)
        const headers = [...own]
        if (action.type === 'handle') return { ...action, headers }
        last = { ...action, decision: action.decision ?? last.decision, headers }
        if (action.type === 'deny') break
      }
      return last
    },
  }
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
