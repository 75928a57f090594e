import { unlimited } from './action.js'
import type { LimiterGuard } from './guard.js'

/** Makes a limit count each request once, even if it is placed several times. */
export function once<R extends object, H>(limit: LimiterGuard<R, H>): LimiterGuard<R, H> {
  const seen = new WeakSet<R>()
  return {
    limiter: limit.limiter,
    keyOf: limit.keyOf,
    holds: limit.holds,
    check(view, response, earlier) {
      if (seen.has(view.raw)) return unlimited
      seen.add(view.raw)
      return limit.check(view, response, earlier)
    },
  }
}
