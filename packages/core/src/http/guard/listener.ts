import { after } from '../awaitable.js'
import { warnOfFailure } from './mistakes.js'
import type { RateLimitOptions } from '../options/options.js'
import type { RequestDecision } from '../rules/request-decision.js'

/**
 * Makes the function that calls `onDecision`; undefined without that option. An error of `onDecision` becomes a process warning and does not fail the
 * request.
 */
export function createListener<R, H>({
  onDecision,
}: RateLimitOptions<R, H>): ((request: R, decision: RequestDecision) => void) | undefined {
  if (onDecision === undefined) return undefined
  return (request, decision) => {
    try {
      const returned: unknown = onDecision(request, decision)
      const done = after(returned, () => {})
      if (done instanceof Promise) done.catch(warnOfFailure)
    } catch (error) {
      warnOfFailure(error)
    }
  }
}
