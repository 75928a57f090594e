import type { Lease } from '../../algorithms/algorithm.js'
import { hasLeases } from '../reading/read-decision.js'
import { noLease, type BoundPolicy } from '../../stores/store.js'

/** Makes the id of a lease in this process and not in the store, so that a call which the client sends twice takes one lease. */
export function leaseFor(
  entries: readonly BoundPolicy[],
  owner: string | undefined,
  id: string | undefined,
): Lease {
  if (id === undefined && !haveLeases(entries)) return noLease
  const leaseId = id ?? crypto.randomUUID()
  return { id: leaseId, owner: owner ?? leaseId }
}

function haveLeases(entries: readonly BoundPolicy[]): boolean {
  for (let i = 0; i < entries.length; i++) if (hasLeases(entries[i])) return true
  return false
}
