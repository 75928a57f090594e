import type { HeldLease } from '../../limiter/decision.js'
import type { Limiter } from '../../limiter/limiter.js'
import { keepAlive } from '../../limiter/leases/keep-alive.js'
import { warnOfFailure } from '../mistakes.js'
import type { RateLimitOptions } from '../options/options.js'
import { whenOver, type NodeResponse, type ResponseOutcome } from '../request/response.js'
import type { Part } from '../rules/rule-decision.js'
import { dependsOnOutcome, settlementOf } from '../rules/settlement.js'
import { whenHandled } from './handling.js'

/**
 * Settles a part of a request that continues, once, however its response ends. The part of a denied request that continues has consumed nothing, so it
 * can only reset counts.
 */
export type Settle = (response: NodeResponse, part: Part) => void

/** Makes the function that runs after a response: it releases leases, refunds units that do not count, and resets counts after a success. */
export function createSettlement<R, H>(
  limiter: Limiter,
  { count, releaseOn = 'done' }: RateLimitOptions<R, H>,
): Settle {
  const counts = typeof count === 'function' ? count : undefined

  return function settle(response, part) {
    const { allowed, lease } = part.decision
    if (lease !== undefined) return whenReleasable(response, lease, end)
    if ((allowed && counts !== undefined) || dependsOnOutcome(part)) whenOver(response, end)

    function end(outcome: ResponseOutcome): void {
      void settled(part, outcome)
    }
  }

  /** Renews the lease of a request, and calls back when it is to be released. */
  function whenReleasable(
    response: NodeResponse,
    lease: HeldLease,
    end: (outcome: ResponseOutcome) => void,
  ): void {
    const stopRenewing = keepAlive(lease)
    function done(outcome: ResponseOutcome): void {
      stopRenewing()
      end(outcome)
    }
    if (releaseOn === 'close') whenOver(response, done)
    else whenHandled(response, lease.lengthMs, { disconnected: stopRenewing, done })
  }

  async function settled(part: Part, outcome: ResponseOutcome): Promise<void> {
    const { consumption, decision } = part
    try {
      await decision.lease?.release()
      const { refunded, reset } = settlementOf(part, isSuccess(outcome))
      if (decision.allowed && counts !== undefined) {
        if (!(await counts(outcome))) await limiter.refund(decision)
      } else if (refunded.length > 0) await limiter.refund(decision, { policies: refunded })
      if (reset !== undefined) await limiter.reset(reset, { policies: consumption.policies })
    } catch (error) {
      // The response is sent already. Units that were not refunded expire by themselves, so the limit errs on the strict side.
      warnOfFailure(error)
    }
  }
}

function isSuccess({ status, aborted }: ResponseOutcome): boolean {
  return status < 400 && !aborted
}
