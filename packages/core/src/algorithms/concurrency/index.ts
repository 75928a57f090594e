import type { Duration, DurationLiteral } from '../../options/durations.js'
import { duration, quota, readOptions } from '../../options/readers.js'
import { blockOption, type Blocking } from '../../policy.js'
import { policyOf, type Kind } from '../kind.js'
import { concurrencySteps, type ConcurrencyPolicy } from './steps.js'

export type { ConcurrencyPolicy } from './steps.js'

/** Options of `concurrency`. */
export interface ConcurrencyOptions extends Blocking {
  /** Units that may be held at once. 1 is a lock; 0 denies everything. */
  readonly limit: number
  /** How long a lease lasts if it is neither renewed nor released. This frees the units of a process that has crashed. */
  readonly lease: Duration
}

/**
 * At most `limit` units are held at once. An allowed request holds its cost with a lease until `decision.lease.release()`, or until the lease
 * expires. `decision.lease.renew()` restarts its duration. Every grant has a token that is greater than all earlier ones for this key. The
 * resource that the lease protects can use it to reject a holder whose lease has expired.
 *
 * A request with an `owner` that already holds units takes no further units, unless it costs more than the owner holds. The owner holds the
 * largest of those costs until all of its leases are released or have expired.
 *
 * Source: leases, Gray and Cheriton, "Leases: an efficient fault-tolerant mechanism for distributed file cache consistency" (1989).
 *
 * @example
 * const jobs = createLimiter({ name: 'jobs', policies: concurrency({ limit: 5, lease: '30s' }) })
 * const { allowed, lease } = await jobs.consume('tenant:7')
 * try {
 *   if (allowed) await work()
 * } finally {
 *   await lease?.release()
 * }
 * @throws SluiceError if an option is missing, unknown or out of range
 */
export function concurrency<const T extends Duration>(
  options: ConcurrencyOptions & Record<'lease', DurationLiteral<T>>,
): ConcurrencyPolicy {
  const readers = { limit: quota, lease: duration, block: blockOption }
  return policyOf('concurrency', concurrencyKind, readOptions('concurrency', options, readers))
}

export const concurrencyKind: Kind<ConcurrencyPolicy> = {
  build: concurrency,
  quotas: ['limit'],
  steps: () => concurrencySteps,
}
