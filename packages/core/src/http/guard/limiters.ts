import { sluiceError } from '../../errors.js'
import type { Limiter } from '../../limiter/limiter.js'

/** The limiters of an application, by name. */
export interface Limiters {
  /** Adds a limiter. Limiters of the same name count together, and the first one is kept. */
  add(limiter: Limiter): void
  /** @throws SluiceError SLUICE_LIMITER_UNKNOWN */
  of(name: string): Limiter
}

/** Creates an empty set of limiters. */
export function createLimiters(): Limiters {
  const limiters = new Map<string, Limiter>()
  return {
    add(limiter) {
      if (!limiters.has(limiter.name)) limiters.set(limiter.name, limiter)
    },
    of(name) {
      const limiter = limiters.get(name)
      if (limiter === undefined) {
        throw sluiceError('SLUICE_LIMITER_UNKNOWN', name, [...limiters.keys()])
      }
      return limiter
    },
  }
}
