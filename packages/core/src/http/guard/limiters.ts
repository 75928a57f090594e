import { sluiceError } from '../../errors.js'
import type { Limiter } from '../../limiter/limiter.js'

/** The limiters of an application, by name. */
export interface Limiters {
  /** Adds a limiter. Of several that have the same name, which count together, the first one stays. */
  add(limiter: Limiter): void
  /** @throws SluiceError SLUICE_LIMITER_UNKNOWN */
  of(name: string): Limiter
}

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
