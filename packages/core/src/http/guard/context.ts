import { grantsLeases } from '../../algorithms/kind.js'
import { requestError } from '../../errors/request-error.js'
import type { Policies } from '../../limiter/limiter-policies.js'
import type { Limiter } from '../../limiter/limiter.js'
import { namedPolicies } from '../../policy.js'
import { whileConnected, withDenial, type GuardedResponse } from '../request/response.js'
import type { RequestView } from '../request/view.js'
import type { RequestContext } from '../response/limit-result.js'
import { afterResponse } from './after-response.js'

/** @param seesResponse whether the adapter shows the response */
export function createContext<R>(
  limiter: Limiter,
  view: RequestView<R>,
  response: GuardedResponse,
  options: { readonly dryRun?: boolean; readonly releaseOn?: 'done' | 'close' },
  seesResponse: boolean,
): RequestContext<R> {
  const { dryRun = false, releaseOn = 'done' } = options
  return {
    limiter,
    view,
    response,
    dryRun,
    delay: async (work) => whileConnected(response, work),
    afterResponse: (lease, work) =>
      afterResponse(response, lease, releaseOn, (outcome) => work(withDenial(response, outcome))),
    seesResponse,
  }
}

/**
 * Refuses what depends on a response that the adapter does not see, before anything is taken.
 *
 * @param needed the option that depends on the response; undefined if only the policies may
 * @throws SluiceError SLUICE_RESPONSE_UNSEEN
 */
export function assertWithoutResponse(
  limiter: string,
  policies: Policies,
  needed: string | undefined,
): void {
  const what = needed ?? (mayHaveLease(policies) ? 'a policy of "concurrency"' : undefined)
  if (what !== undefined) throw requestError('SLUICE_RESPONSE_UNSEEN', limiter, what)
}

/** Whether a decision by these policies can have a lease. */
export function mayHaveLease(policies: Policies): boolean {
  return Object.values(namedPolicies(policies)).some(grantsLeases)
}
