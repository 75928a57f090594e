import { hasLeases } from '../algorithms/kind.js'
import { readClock, type Clock } from '../clock.js'
import { joinKey, type Key } from '../keys.js'
import { limiterPolicies, type Policies } from '../limiter/limiter-policies.js'
import { invalidKey, repeated } from '../limiter/arguments.js'
import { leaseFor } from '../limiter/leases.js'
import { createLimiter, type Limiter } from '../limiter/limiter.js'
import { isPolicy, type Policy } from '../policy.js'
import { memoryStoreOf, type MemoryStore } from '../stores/memory/index.js'

/** Options of `createReplay`. */
export interface ReplayOptions {
  /** One policy, or a record from name to policy. They may come from a file. */
  readonly policies: Policies
  /** The time of the replay, in milliseconds since the epoch, before the year 6429. It must not step back. */
  readonly clock: Clock
  /**
   * The largest number of counts in the store.
   *
   * @default 5_000_000
   */
  readonly maxKeys?: number
}

/** Replays requests against policies over its own memory store. */
export interface Replay {
  /** The policies as the builders return them. */
  readonly policies: Readonly<Record<string, Policy>>
  readonly store: MemoryStore
  /** A limiter with the same policies and counts, for all other calls. */
  readonly limiter: Limiter<MemoryStore>
  /** Decides as `limiter.consume` does, and returns only `allowed`. It does not create a decision, so it takes less time. */
  consume(key: Key, cost: number): boolean
}

/**
 * Creates a replay of recorded requests.
 *
 * @throws SluiceError if a policy is invalid
 */
export function createReplay({ policies, clock, maxKeys = 5_000_000 }: ReplayOptions): Replay {
  const name = 'replay'
  const time = (): number => readClock(clock)
  const store = memoryStoreOf(maxKeys, { monotonic: time, wall: time })
  const bound = limiterPolicies(name, policies)

  return {
    policies: Object.fromEntries(bound.map(({ name, policy }) => [name, policy])),
    store,
    limiter: createLimiter({ name, policies, store }),
    consume(key, cost) {
      const joined = joinKey(key)
      if (joined === undefined) throw invalidKey(name, key, undefined)
      const lease = leaseFor(bound, undefined, undefined)
      const keys = repeated(joined, bound.length)
      const request = { policies: bound, keys, now: undefined, lease, cost } as const
      const answer = store.run({ verb: 'consume', ...request })
      return 'allowed' in answer && answer.allowed
    },
  }
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
  const [bound] = limiterPolicies('replay', policy)
  const { steps, params } = bound
  const isLeased = hasLeases(bound)
  return {
    recoveryMs: isLeased || steps.quota(params) === Infinity ? Infinity : steps.windowMs(params),
    hasLeases: isLeased,
  }
}
