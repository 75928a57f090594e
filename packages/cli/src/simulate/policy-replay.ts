import {
  createLimiter,
  memoryStore,
  type Clock,
  type Limiter,
  type MemoryStore,
  type Policies,
  type Policy,
} from '@sluice/core'
import { checkedPolicy, hasLeases, namedPolicies, resolvePolicy } from '@sluice/core/internal'
import { isPolicy } from '../text/policy.js'

/** A limiter in the time of a log, over a memory store of its own. */
export interface PolicyReplay {
  /** The policies as the builders return them. */
  readonly policies: Readonly<Record<string, Policy>>
  readonly store: MemoryStore
  readonly limiter: Limiter<MemoryStore>
}

/** The largest number of counts in the store of a replay. */
const mostCounts = 5_000_000

/**
 * Creates a limiter that decides in the time of a log.
 *
 * @param given they may come from a file
 * @param clock the time of the log, which must not step back
 * @throws SluiceError if a policy is invalid
 */
export function replayOf(
  given: Policies,
  clock: Clock,
  maxKeys: number = mostCounts,
): PolicyReplay {
  const store = memoryStore({ maxKeys })
  const limiter = createLimiter({ name: 'replay', policies: given, store, clock })
  const checked = Object.entries(namedPolicies(given)).map(([name, policy]) => {
    return [name, checkedPolicy(policy, 'replay')] as const
  })
  return { policies: Object.fromEntries(checked), store, limiter }
}

/** The properties of a policy that a log must be precise enough for. */
export interface PolicyTraits {
  /**
   * How long a limit that is used up takes to recover completely, in milliseconds: its window, or the time in which a bucket fills or a queue drains. The
   * shortest one of a staged policy. Infinity if it does not recover by time alone.
   */
  readonly recoveryMs: number
  /** Whether the policy grants leases, which last as long as the request. */
  readonly hasLeases: boolean
}

/**
 * Returns what a log must be precise enough for.
 *
 * @throws SluiceError if the policy is invalid
 */
export function traitsOf(policy: Policy): PolicyTraits {
  const stages = Object.values(policy).filter(isPolicy).map(traitsOf)
  if (stages.length > 0) {
    return {
      recoveryMs: Math.min(...stages.map(({ recoveryMs }) => recoveryMs)),
      hasLeases: stages.some(({ hasLeases }) => hasLeases),
    }
  }
  const resolved = resolvePolicy(policy, 'replay')
  const { steps, params } = resolved
  const isLeased = hasLeases(resolved)
  return {
    recoveryMs: isLeased || steps.quota(params) === Infinity ? Infinity : steps.windowMs(params),
    hasLeases: isLeased,
  }
}
