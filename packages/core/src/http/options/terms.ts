import type { Policies } from '../../limiter/bound-policies.js'
import { sluiceError } from '../../errors.js'
import { after, type Awaitable } from '../awaitable.js'
import type { RateLimitOptions } from './options.js'
import type { Plan } from './plan.js'

/** By what a request is asked. */
export interface ConsumeTerms {
  readonly policies: Policies
  readonly cost: number
}

/** Makes what finds the terms of a request: the same object for all of them, where no function of the options says otherwise. */
export function termsReader<R, H>(
  limiter: string,
  plan: Plan<R>,
  { cost = 1 }: RateLimitOptions<R, H>,
): (request: R) => Awaitable<ConsumeTerms> {
  if (!plan.perRequest && typeof cost !== 'function') {
    const terms = { policies: plan.policies, cost }
    return () => terms
  }

  function costOf(request: R): Awaitable<number> {
    return typeof cost === 'function' ? after(cost(request), stated) : cost
  }

  // To the limiter no cost means 1; a function that forgot to say one has a bug.
  function stated(cost: number | undefined): number {
    if (cost === undefined) throw sluiceError('SLUICE_COST_INVALID', limiter, cost)
    return cost
  }

  return (request) =>
    after(plan.policiesFor(request), (policies) =>
      after(costOf(request), (cost) => ({ policies, cost })),
    )
}
