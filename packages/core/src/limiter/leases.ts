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
  id: string | undefined,
): Lease {
  if (id !== undefined) return leaseOf(id, owner)
  for (let i = 0; i < policies.length; i++) {
    if (policies[i].steps.token !== undefined) return leaseOf(crypto.randomUUID(), owner)
  }
  return noLease
}

function leaseOf(id: string, owner: string | undefined): Lease {
  return { id, owner: owner === undefined ? id : ownerText(owner) }
}

/** Releases or renews the lease that a call was granted. */
export type ChangeLease<S extends Store> = (
  receipt: Receipt,
  verb: 'release' | 'renew',
) => Reply<S, boolean>

/** Adds its lease to the decision of an allowed consumption. */
export function addLease<S extends Store>(decision: Decision<S>, change: ChangeLease<S>): void {
  const receipt = receiptOf(decision)
  const lease = receipt === undefined ? undefined : heldLeaseOf(receipt, change)
  if (lease !== undefined) Object.assign(decision, { lease })
}

/** The lease of an allowed consumption, if a policy that is not exempt has leases and the cost is not 0. */
function heldLeaseOf<S extends Store>(
  receipt: Receipt,
  changeLease: ChangeLease<S>,
): HeldLease<S> | undefined {
  const { policies, lease, cost } = receipt.request
  const { states } = receipt.result
  const granted = policies.filter((policy, i) => hasLeases(policy) && !isExempt(states[i]))
  const at = policies.indexOf(granted[0])
  if (at === -1 || costAt(cost, at) === 0) return undefined
  const lengths = granted.map(({ steps, params }) => steps.windowMs(params))
  return {
    id: lease.id,
    token: policies[at].steps.token?.(states[at].row) ?? 0,
    lengthMs: Math.min(...lengths),
    release: () => changeLease(receipt, 'release'),
    renew: () => changeLease(receipt, 'renew'),
  }
}

/** Renews a lease periodically. The returned function stops that and releases the lease. If the process dies, the lease expires. */
export function keepLease(lease: HeldLease): () => boolean | Promise<boolean> {
  const stopRenewing = keepAlive(lease)
  return function releaseLease() {
    stopRenewing()
    return lease.release()
  }
}

/** Renews a lease after each third of its time, and four times as often after a renewal that failed, until it must have expired. The returned function stops that. */
export function keepAlive(lease: HeldLease): () => void {
  let failures = 0
  let isStopped = false
  let timer = renewLater(1 / 3)

  function renewLater(share: number): ReturnType<typeof setTimeout> {
    const later = setTimeout(() => void renew(), Math.min(lease.lengthMs * share, longestTimerMs))
    letProcessEnd(later)
    return later
  }

  async function renew(): Promise<void> {
    failures = (await renewed(lease)) ? 0 : failures + 1
    if (!isStopped) timer = renewLater(failures > 0 && failures <= 8 ? 1 / 12 : 1 / 3)
  }

  return function stopRenewing() {
    isStopped = true
    clearTimeout(timer)
  }
}

async function renewed(lease: HeldLease): Promise<boolean> {
  try {
    return await lease.renew()
  } catch {
    return false
  }
}
