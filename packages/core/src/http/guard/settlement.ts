import type { Decision, HeldLease } from '../../limiter/decision.js'
import { isKey, type Keys, type Policies } from '../../limiter/bound-policies.js'
import { sluiceError } from '../../errors.js'
import { notLimited } from '../../keys.js'
import { keepAlive } from '../../limiter/leases/keep-alive.js'
import type { Limiter } from '../../limiter/limiter.js'
import { isPolicy, type Policy } from '../../policy.js'
import type { Awaitable } from '../awaitable.js'
import { whenHandled } from './handling.js'
import { tellOfFailure } from './mistakes.js'
import type { RateLimitOptions } from '../options/options.js'
import { whenOver, type NodeResponse, type ResponseOutcome } from '../request/response.js'
import type { ConsumeTerms } from '../options/terms.js'

/**
 * Settles a request that goes on, once, however its exchange ends. A denied request has taken nothing: its success can only forget failures.
 */
export type Settle = (
  response: NodeResponse,
  key: Keys,
  terms: ConsumeTerms,
  decision: Decision,
) => void

/**
 * Makes what follows a response: what should not have counted is given back, a lease is released, a success forgets the failures
 * before it.
 *
 * @param known the policies, where each request has the same
 * @throws SluiceError SLUICE_OPTION_INVALID where `resetOn` names a policy that is none of these
 */
export function createSettlement<R, H>(
  limiter: Limiter,
  { count = 'all', resetOn, releaseOn = 'done' }: RateLimitOptions<R, H>,
  known: Policies | undefined,
): Settle {
  const names = typeof resetOn === 'object' ? resetOn.success : undefined
  if (known !== undefined) assertNames(names, Object.keys(named(known)))
  const byOutcome = count !== 'all' || resetOn !== undefined

  return function settle(response, key, { policies }, decision) {
    const { allowed, lease } = decision
    if (lease !== undefined) return settleLeased(response, lease, end)
    if (allowed ? byOutcome : resetOn !== undefined) whenOver(response, end)

    function end(outcome: ResponseOutcome): void {
      void settled(outcome, key, policies, decision)
    }
  }

  /** A lease is renewed until the exchange has ended. */
  function settleLeased(
    response: NodeResponse,
    lease: HeldLease,
    end: (outcome: ResponseOutcome) => void,
  ): void {
    const leave = keepAlive(lease)
    function done(outcome: ResponseOutcome): void {
      leave()
      end(outcome)
    }
    if (releaseOn === 'close') whenOver(response, done)
    else whenHandled(response, lease.lengthMs, { left: leave, done })
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
        await limiter.reset(forgotten(key, policies, names), { policies })
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

function assertNames(names: readonly string[] = [], known: readonly string[]): void {
  const stray = names.find((name) => !known.includes(name))
  if (stray === undefined) return
  const expected = `names of its policies: ${known.map((name) => JSON.stringify(name)).join(', ')}`
  throw sluiceError('SLUICE_OPTION_INVALID', 'resetOn', 'success', stray, expected)
}

function named(policies: Policies): Readonly<Record<string, Policy>> {
  return isPolicy(policies) ? { default: policies } : policies
}

function isSuccess({ status, aborted }: ResponseOutcome): boolean {
  return status < 400 && !aborted
}

/** The keys of what a success forgets: not what others hold at this moment, and of named policies only theirs. */
function forgotten(key: Keys, policies: Policies, names: readonly string[] | undefined): Keys {
  return Object.fromEntries(
    Object.entries(named(policies)).map(([name, { kind }]) => {
      const kept = kind === 'concurrency' || names?.includes(name) === false
      return [name, kept ? notLimited : isKey(key) ? key : key[name]]
    }),
  )
}
