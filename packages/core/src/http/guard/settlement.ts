import { grantsLeases } from '../../algorithms/kind.js'
import type { HeldLease } from '../../limiter/decision.js'
import type { Limiter } from '../../limiter/limiter.js'
import { keepAlive } from '../../limiter/leases.js'
import { warnOfFailure } from '../request/mistakes.js'
import type { RateLimitOptions } from '../options/options.js'
import {
  isDestroyedHere,
  isReported,
  whenOver,
  type GuardedResponse,
  type NodeResponse,
  type ResponseOutcome,
  type Settling,
} from '../request/response.js'
import type { LimitResult } from '../rules/rule-decision.js'
import type { Policies } from '../../limiter/bound-policies.js'
import { isKey, type Keys } from '../../limiter/arguments.js'
import { notLimited } from '../../keys.js'
import { namedPolicies } from '../../policy.js'
import type { AppliedRule } from '../rules/judgement.js'
import { longestTimerMs } from '../../limiter/turns.js'
import { letProcessEnd } from '../../runtime.js'
import { isPromise } from '../../awaitable.js'

/**
 * Settles a result of a request that continues, once, however its response ends. The result of a denied request that continues has consumed nothing, so it
 * can only reset counts.
 */
export type Settle = (response: GuardedResponse, result: LimitResult) => void

/** Makes the function that runs after a response: it releases leases, refunds units that do not count, and resets counts after a success. */
export function createSettlement<R, H>(
  limiter: Limiter,
  { count, releaseOn = 'done' }: RateLimitOptions<R, H>,
): Settle {
  const countsResponse = typeof count === 'function' ? count : undefined

  return function settle(response, result) {
    const { allowed, lease } = result.decision
    if (lease !== undefined) whenReleasable(response, lease, settlingOf(result))
    else if (!(allowed && countsResponse !== undefined) && !dependsOnOutcome(result)) return
    else if (isReported(response)) response.whenOver(settlingOf(result))
    else whenOver(response, settlingOf(result))
  }

  /** Renews the lease of a request, and calls back when it is to be released. */
  function whenReleasable(response: GuardedResponse, lease: HeldLease, end: Settling): void {
    const stopRenewing = keepAlive(lease)
    async function done(outcome: ResponseOutcome): Promise<void> {
      stopRenewing()
      return end(outcome)
    }
    const onClose = releaseOn === 'close'
    if (isReported(response)) {
      response.whenSent(done, lease.lengthMs, onClose)
      if (!onClose) response.whenDisconnected(stopRenewing)
    } else if (onClose) whenOver(response, done)
    else whenHandled(response, lease.lengthMs, { disconnected: stopRenewing, done })
  }

  function settlingOf(result: LimitResult): Settling {
    const { consumption, decision } = result
    return async function settled(outcome) {
      try {
        await decision.lease?.release()
        const { refunded, reset } = settlementOf(result, isSuccess(outcome))
        if (decision.allowed && countsResponse !== undefined) {
          if (!(await countsResponse(outcome))) await limiter.refund(decision)
        } else if (refunded.length > 0) await limiter.refund(decision, { policies: refunded })
        if (reset !== undefined) await limiter.reset(reset, { policies: consumption.policies })
      } catch (error) {
        // The response is sent already. Units that were not refunded expire by themselves, so the limit errs on the strict side.
        warnOfFailure(error)
      }
    }
  }
}

function isSuccess({ status, aborted }: ResponseOutcome): boolean {
  return status < 400 && !aborted
}

/** The changes that a response makes to the counts of a result. */
export interface Settlement {
  /** The policies whose units are refunded, because their rule does not count such a response. */
  readonly refunded: readonly string[]
  /** The keys whose counts are reset. Undefined if there are none. */
  readonly reset: Keys | undefined
}

/** The changes that a response with this success makes to the counts of a result. */
export function settlementOf(result: LimitResult, succeeded: boolean): Settlement {
  const { keys, policies } = result.consumption
  const { allowed } = result.decision
  const refunded = namesOf(result, (rule) => allowed && !isCounted(rule, succeeded))
  const reset = namesOf(result, ({ resetOnSuccess }) => resetOnSuccess && succeeded)
  return { refunded, reset: reset.length === 0 ? undefined : keysToReset(keys, policies, reset) }
}

/** Whether a response can change the counts of a result. */
function dependsOnOutcome({ consumption: { rules }, decision: { allowed } }: LimitResult): boolean {
  for (const { counts, resetOnSuccess } of rules.values()) {
    if (resetOnSuccess || (allowed && counts !== 'all')) return true
  }
  return false
}

/** The policies that were asked and whose rule fulfils a condition. */
function namesOf(
  { consumption: { rules }, decision }: LimitResult,
  fulfils: (rule: AppliedRule) => boolean,
): readonly string[] {
  return Object.keys(decision.policies).filter((name) => {
    const rule = rules.get(name)
    return rule !== undefined && fulfils(rule)
  })
}

function isCounted({ counts }: AppliedRule, succeeded: boolean): boolean {
  return counts === 'all' || (counts === 'successes') === succeeded
}

/** The keys of these policies. Leaves out those with leases, whose units belong to requests that are still running. */
function keysToReset(key: Keys, policies: Policies, names: readonly string[]): Keys {
  return Object.fromEntries(
    Object.entries(namedPolicies(policies)).map(([name, policy]) => {
      const isKept = grantsLeases(policy) || !names.includes(name)
      return [name, isKept ? notLimited : isKey(key) ? key : key[name]]
    }),
  )
}

type Follow = (work: PromiseLike<unknown>) => void

/** For each response, the callbacks of the limiters that hold a lease until its handler is done. */
const followers = new WeakMap<NodeResponse, Set<Follow>>()

/**
 * Passes the return value of a handler to the limiters of the response. A handler that returns a promise is done when the promise settles. For any
 * other value, and if an adapter does not call this, the handler is done when it ends or destroys the response.
 */
export function followHandler(response: NodeResponse, returned: unknown): void {
  const following = followers.get(response)
  if (following === undefined || !isPromise(returned)) return
  for (const follow of following) follow(returned)
}

interface Handling {
  /** Called if the connection ends while the handler is still running. */
  disconnected(): void
  /** Called when the connection or response has ended and the handler is done, or `longestMs` after the end. */
  done(outcome: ResponseOutcome): unknown
}

/** Calls back when the handler of a response is done, even if the client disconnects earlier. */
function whenHandled(
  response: NodeResponse,
  longestMs: number,
  { disconnected, done }: Handling,
): void {
  let outcome: ResponseOutcome | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  let isFollowed = false
  let running = 0

  const following = followers.get(response) ?? new Set()
  followers.set(response, following)
  following.add(follow)
  whenOver(response, (ended) => {
    outcome = ended
    const isDone = response.writableEnded || isDestroyedHere(response)
    if (isFollowed ? running === 0 : isDone) return finish()
    timer = setTimeout(finish, Math.min(longestMs, longestTimerMs))
    letProcessEnd(timer)
    whenEnded(response, finish)
    disconnected()
  })

  function follow(work: PromiseLike<unknown>): void {
    isFollowed = true
    running++
    work.then(settled, settled)
  }

  function settled(): void {
    running--
    if (running === 0 && outcome !== undefined) finish()
  }

  function finish(): void {
    if (outcome === undefined || !following.delete(follow)) return
    clearTimeout(timer)
    done(outcome)
  }
}

/**
 * Calls back when a handler ends a response whose client has disconnected. `end` is wrapped because Node emits no event in two cases: a pipelined
 * response that waits for an earlier one, and a response of HTTP/2.
 */
function whenEnded(response: NodeResponse, then: () => void): void {
  const end = response.end.bind(response)
  response.end = (...chunk) => {
    const ended = end(...chunk)
    then()
    return ended
  }
}
