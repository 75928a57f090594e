import { grantsLeases } from '../../algorithms/kind.js'
import { notLimited } from '../../keys.js'
import { isKey, type Keys } from '../../limiter/arguments.js'
import type { Policies } from '../../limiter/limiter-policies.js'
import { namedPolicies } from '../../policy.js'
import type { HeldLease } from '../../limiter/decision.js'
import { keepAlive } from '../../limiter/leases.js'
import { longestTimerMs } from '../../limiter/pause.js'
import { isPromise } from '../../awaitable.js'
import { letProcessEnd } from '../../runtime.js'
import { warnOfFailure } from '../request/mistakes.js'
import {
  isDestroyedHere,
  isManual,
  whenOver,
  type GuardedResponse,
  type NodeResponse,
  type ResponseOutcome,
  type AfterResponse,
} from '../request/response.js'

/** Runs work once after a response, however it ends. A lease is renewed until then; with `releaseOn: 'done'`, until its handler is done. */
export function afterResponse(
  response: GuardedResponse,
  lease: HeldLease | undefined,
  releaseOn: 'done' | 'close',
  work: AfterResponse,
): void {
  let stopRenewing = (): void => {}

  async function end(outcome: ResponseOutcome): Promise<void> {
    stopRenewing()
    try {
      await work(outcome)
    } catch (error) {
      // The response is sent already. Units that were not refunded expire by themselves, so the limit errs on the strict side.
      warnOfFailure(error)
    }
  }

  const onClose = releaseOn === 'close'
  if (lease !== undefined) stopRenewing = keepAlive(lease)
  if (isManual(response)) {
    if (lease === undefined) return response.whenOver(end)
    response.whenSent(end, lease.lengthMs, onClose)
    if (!onClose) response.whenDisconnected(stopRenewing)
  } else if (lease === undefined || onClose) whenOver(response, end)
  else whenHandled(response, lease.lengthMs, stopRenewing, end)
}

/** The keys of these policies, or of all. Leaves out policies with leases, whose units belong to requests that are still running. */
export function keysToReset(key: Keys, policies: Policies, names?: readonly string[]): Keys {
  return Object.fromEntries(
    Object.entries(namedPolicies(policies)).map(([name, policy]) => {
      const isKept = grantsLeases(policy) || names?.includes(name) === false
      return [name, isKept ? notLimited : isKey(key) ? key : key[name]]
    }),
  )
}

type Follow = (work: PromiseLike<unknown>) => void

/** For each response, the callbacks of the limits that hold a lease until its handler is done. */
const followers = new WeakMap<NodeResponse, Set<Follow>>()

/**
 * Passes the return value of a handler to the limits of the response. A handler that returns a promise is done when the promise settles. For any
 * other value, and if an adapter does not call this, the handler is done when it ends or destroys the response.
 */
export function followHandler(response: NodeResponse, returned: unknown): void {
  const following = followers.get(response)
  if (following === undefined || !isPromise(returned)) return
  for (const follow of following) follow(returned)
}

/**
 * Calls back when the exchange is over and the handler of the response is done, or `longestMs` after the end of the exchange: a client that disconnects early
 * must not free the unit of a handler that still runs.
 *
 * @param disconnected called if the exchange is over before the handler
 */
function whenHandled(
  response: NodeResponse,
  longestMs: number,
  disconnected: () => void,
  done: (outcome: ResponseOutcome) => unknown,
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
    if (isFollowed ? running === 0 : response.writableEnded || isDestroyedHere(response)) {
      return finish()
    }
    disconnected()
    timer = setTimeout(finish, Math.min(longestMs, longestTimerMs))
    letProcessEnd(timer)
    // Node emits no event if a handler ends the response of a client that has disconnected over HTTP/2, or behind another pipelined response.
    const end = response.end.bind(response)
    response.end = (...chunk) => {
      const result = end(...chunk)
      finish()
      return result
    }
  })

  function follow(work: PromiseLike<unknown>): void {
    isFollowed = true
    running++
    const settled = (): void => {
      if (--running === 0) finish()
    }
    work.then(settled, settled)
  }

  function finish(): void {
    if (outcome === undefined || !following.delete(follow)) return
    clearTimeout(timer)
    done(outcome)
  }
}
