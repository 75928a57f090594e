import type { Decision } from '../../limiter/decision.js'
import { after } from '../awaitable.js'
import { tellOfFailure } from './mistakes.js'
import type { RateLimitOptions } from '../options/options.js'

/** Makes what tells the application of each decision. An error of its function is reported, and is never the request's. */
export function createListener<R, H>({
  onDecision,
}: RateLimitOptions<R, H>): (request: R, decision: Decision) => void {
  if (onDecision === undefined) return () => {}
  return (request, decision) => {
    try {
      const returned: unknown = onDecision(request, decision)
      // A function that returns a promise is not waited for.
      const told = after(returned, () => {})
      if (told instanceof Promise) told.catch(tellOfFailure)
    } catch (error) {
      tellOfFailure(error)
    }
  }
}
