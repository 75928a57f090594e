import type { Lease } from '../algorithms/algorithm.js'
import { hasLeases } from '../algorithms/kind.js'
import type { Decision, HeldLease } from './decision.js'
import { receiptOf, type Receipt } from './receipt.js'
import { ownerText } from '../keys.js'
import { letProcessEnd } from '../runtime.js'
import { isExempt } from '../stores/override.js'
import { costAt, noLease, type LimiterPolicy, type Reply, type Store } from '../stores/store.js'
import { longestTimerMs } from './pause.js'

/** Makes the id of a lease in this process and not in the store, so that a call which the client sends twice takes one lease. */
export function leaseFor(
  policies: readonly LimiterPolicy[],
  owner: string | undefined,
  leaseId: string | undefined,
): Lease {
  if (leaseId === undefined && !grantsLease(policies)) return noLease
  const id = leaseId ?? crypto.randomUUID()
  return { id, owner: owner === undefined ? id : ownerText(owner) }
}

/** In a loop: see `countedPart` of `ask.ts`. */
function grantsLease(policies: readonly LimiterPolicy[]): boolean {
  for (const policy of policies) if (hasLeases(policy)) return true
  return false
}

/**
 * Adds its lease to the decision of an allowed consumption, if a policy that is not exempt has leases and the cost is not 0.
 *
 * @param change releases or renews the lease that a call was granted
 */
export function addLease<S extends Store>(
  decision: Decision<S>,
  change: (receipt: Receipt, verb: 'release' | 'renew') => Reply<S, boolean>,
): void {
  const receipt = receiptOf(decision)
  if (receipt === undefined) return
  const { policies, lease, cost } = receipt.request
  const { states } = receipt.result
  const granted = policies.filter((policy, i) => hasLeases(policy) && !isExempt(states[i]))
  const first = policies.indexOf(granted[0])
  if (first === -1 || costAt(cost, first) === 0) return
  const held: HeldLease<S> = {
    id: lease.id,
    token: policies[first].steps.token?.(states[first].row) ?? 0,
    lengthMs: Math.min(...granted.map(({ steps, params }) => steps.windowMs(params))),
    release: () => change(receipt, 'release'),
    renew: () => change(receipt, 'renew'),
  }
  Object.assign(decision, { lease: held })
}

/**
 * Renews a lease periodically. The returned function stops that and releases the lease. If the process dies, the lease expires.
 *
 * @param maxHold after this time, in milliseconds, it is not renewed any more
 * @param onExpiry called then
 */
export function keepLease(
  lease: HeldLease,
  maxHold?: number,
  onExpiry?: () => void,
): () => boolean | Promise<boolean> {
  const stopRenewing = keepAlive(lease, maxHold, onExpiry)
  return function releaseLease() {
    stopRenewing()
    return lease.release()
  }
}

/**
 * Renews a lease after each third of its time, and four times as often after a renewal that failed, until it must have expired. The returned function stops
 * that.
 */
export function keepAlive(
  lease: HeldLease,
  maxHold: number = Infinity,
  onExpiry: () => void = () => {},
): () => void {
  const begunAt = performance.now()
  let failures = 0
  let isStopped = false
  let timer = renewLater(1 / 3)

  function renewLater(share: number): ReturnType<typeof setTimeout> {
    const later = setTimeout(() => void renew(), Math.min(lease.lengthMs * share, longestTimerMs))
    letProcessEnd(later)
    return later
  }

  async function renew(): Promise<void> {
    if (performance.now() - begunAt >= maxHold) return onExpiry()
    const isRenewed = await (async () => lease.renew())().catch(() => false)
    failures = isRenewed ? 0 : failures + 1
    if (!isStopped) timer = renewLater(failures > 0 && failures <= 8 ? 1 / 12 : 1 / 3)
  }

  return function stopRenewing() {
    isStopped = true
    clearTimeout(timer)
  }
}
