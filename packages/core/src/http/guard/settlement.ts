import type { Decision, HeldLease } from '../../limiter/decision.js'
import { isKey, type Keys, type Policies } from '../../limiter/bound-policies.js'
import { sluiceError } from '../../errors.js'
import { notLimited } from '../../keys.js'
import { keepAlive } from '../../limiter/leases/keep-alive.js'
import type { Limiter } from '../../limiter/limiter.js'
import type { Awaitable } from '../awaitable.js'
import { whenHandled } from './handling.js'
import { warnOfFailure } from './mistakes.js'
import type { RateLimitOptions } from '../options/options.js'
import { whenOver, type NodeResponse, type ResponseOutcome } from '../request/response.js'
import { namedPolicies, type ConsumeTerms } from '../options/plan.js'

/**
 * Settles a request that continues, once, however its response ends. A denied request that continues has consumed nothing, so only `resetOn`
 * applies to it.
 */
export type Settle = (
  response: NodeResponse,
  key: Keys,
  terms: ConsumeTerms,
  decision: Decision,
) => void

/**
 * Makes the function that runs after a response: it releases leases, refunds requests that do not count, and resets counts after a success. Undefined if
 * no request needs it.
 *
 * @param ownPolicies the policies of the limiter; undefined if each request has its own
 * @throws SluiceError SLUICE_OPTION_INVALID if `resetOn` names an unknown policy
 */
export function createSettlement<R, H>(
  limiter: Limiter,
  { count = 'all', resetOn, releaseOn = 'done' }: RateLimitOptions<R, H>,
  ownPolicies: Policies | undefined,
): Settle | undefined {
  const names = typeof resetOn === 'object' ? resetOn.success : undefined
  if (ownPolicies !== undefined) assertNames(names, Object.keys(namedPolicies(ownPolicies)))
  const byOutcome = count !== 'all' || resetOn !== undefined
  if (!byOutcome && ownPolicies !== undefined && !grantsLeases(ownPolicies)) return undefined
  const whenReleasable = leaseFollower(releaseOn)

  return function settle(response, key, { policies }, decision) {
    const { allowed, lease } = decision
    if (lease !== undefined) return whenReleasable(response, lease, end)
    if (allowed ? byOutcome : resetOn !== undefined) whenOver(response, end)

    function end(outcome: ResponseOutcome): void {
      void settled(outcome, key, policies, decision)
    }
  }

  async function settled(
    outcome: ResponseOutcome,
    key: Keys,
    policies: Policies,
    decision: Decision,
  ): Promise<void> {
    try {
      await decision.lease?.release()
      if (decision.allowed && !(await counts(outcome))) await limiter.refund(decision)
      if (resetOn !== undefined && isSuccess(outcome)) {
        await limiter.reset(keysToReset(key, policies, names), { policies })
      }
    } catch (error) {
      // The response is sent already. Units that were not refunded expire by themselves, so the limit errs on the strict side.
      warnOfFailure(error)
    }
  }

  function counts(outcome: ResponseOutcome): Awaitable<boolean> {
    if (typeof count === 'function') return count(outcome)
    return count === 'all' || (count === 'successes') === isSuccess(outcome)
  }
}

/** Whether a decision by these policies can have a lease. */
export function grantsLeases(policies: Policies): boolean {
  return Object.values(namedPolicies(policies)).some(({ kind }) => kind === 'concurrency')
}

/** Renews the lease of a request, and calls back when it is to be released. */
type LeaseFollower = (
  response: NodeResponse,
  lease: HeldLease,
  end: (outcome: ResponseOutcome) => void,
) => void

export function leaseFollower(releaseOn: 'done' | 'close'): LeaseFollower {
  return function whenReleasable(response, lease, end) {
    const stopRenewing = keepAlive(lease)
    function done(outcome: ResponseOutcome): void {
      stopRenewing()
      end(outcome)
    }
    if (releaseOn === 'close') whenOver(response, done)
    else whenHandled(response, lease.lengthMs, { disconnected: stopRenewing, done })
  }
}

function assertNames(names: readonly string[] = [], known: readonly string[]): void {
  const stray = names.find((name) => !known.includes(name))
  if (stray === undefined) return
  const expected = `names of its policies: ${known.map((name) => JSON.stringify(name)).join(', ')}`
  throw sluiceError('SLUICE_OPTION_INVALID', 'resetOn', 'success', stray, expected)
}

export function isSuccess({ status, aborted }: ResponseOutcome): boolean {
  return status < 400 && !aborted
}

/** Leaves out `concurrency`, whose units belong to requests that are still running, and the policies that `resetOn` does not name. */
export function keysToReset(
  key: Keys,
  policies: Policies,
  names: readonly string[] | undefined,
): Keys {
  return Object.fromEntries(
    Object.entries(namedPolicies(policies)).map(([name, { kind }]) => {
      const kept = kind === 'concurrency' || names?.includes(name) === false
      return [name, kept ? notLimited : isKey(key) ? key : key[name]]
    }),
  )
}
