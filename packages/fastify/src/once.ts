import type { FastifyRequest } from 'fastify'
import type { LimiterLimit } from './admit.js'

/** A limit that counts each request once, in however many places it stands. */
export function once(limit: LimiterLimit): LimiterLimit {
  const seen = new WeakSet<FastifyRequest>()
  return {
    limiter: limit.limiter,
    holds: limit.holds,
    check(view, response) {
      if (seen.has(view.raw)) return { type: 'continue', decision: undefined, headers: [] }
      seen.add(view.raw)
      return limit.check(view, response)
    },
  }
}
