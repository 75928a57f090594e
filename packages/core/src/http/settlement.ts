import type { Decision } from '../decision.js'
import { isKey, type Keys, type Policies } from '../entries.js'
import { keepLease } from '../leases.js'
import type { Limiter } from '../limiter.js'
import { isPolicy } from '../policy.js'
import type { Awaitable } from './awaitable.js'
import { tellOfFailure } from './mistakes.js'
import type { RateLimitOptions } from './options.js'
import { whenOver, type NodeResponse, type ResponseOutcome } from './response.js'

/** What a request asked its limiter. */
export interface Asked {
  readonly key: Keys
  readonly policies: Policies
  readonly cost: number
}

/** Sees to it that an admitted request is settled, once, when its exchange has ended, however it ends. */
export type Settle = (response: NodeResponse, asked: Asked, decision: Decision) => void

/**
 * Makes what follows a response: what should not have counted is given back, a lease is released, a success forgets the failures
 * before it.
 */
export function createSettlement<R, H>(
  limiter: Limiter,
  { count = 'all', resetOn }: RateLimitOptions<R, H>,
): Settle {
  const byOutcome = count !== 'all' || resetOn !== undefined

  return function settle(response, asked, decision) {
    if (!decision.allowed || (!byOutcome && decision.lease === undefined)) return
    const release = decision.lease === undefined ? undefined : keepLease(decision.lease)
    whenOver(response, (outcome) => void settled(outcome, asked, decision, release))
  }

  async function settled(
    outcome: ResponseOutcome,
    { key, policies }: Asked,
    decision: Decision,
    release: (() => unknown) | undefined,
  ): Promise<void> {
    try {
      await release?.()
      if (!(await counts(outcome))) await limiter.refund(decision)
      if (resetOn === 'success' && isSuccess(outcome)) {
        await limiter.reset(withoutLeases(key, policies), { policies })
      }
    } catch (error) {
      // The answer has been sent. What was not given back ends by itself, later than it should: never an admission too many.
      tellOfFailure(error)
    }
  }

  function counts(outcome: ResponseOutcome): Awaitable<boolean> {
    if (typeof count === 'function') return count(outcome)
    return count === 'all' || (count === 'successes') === isSuccess(outcome)
  }
}

function isSuccess({ status, aborted }: ResponseOutcome): boolean {
  return status < 400 && !aborted
}

/** What others hold at this moment is nothing to forget. */
function withoutLeases(key: Keys, policies: Policies): Keys {
  const named = isPolicy(policies) ? { default: policies } : policies
  return Object.fromEntries(
    Object.entries(named).map(([name, { kind }]) => [
      name,
      kind === 'concurrency' ? null : isKey(key) ? key : key[name],
    ]),
  )
}
