import { sluiceError } from '../../errors.js'
import type { LimiterGuard } from './guard.js'

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
