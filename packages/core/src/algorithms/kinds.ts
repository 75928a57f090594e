import type { Policy } from '../policy.js'
import { calendarWindowKind } from './calendar-window/index.js'
import { concurrencyKind } from './concurrency/index.js'
import { fixedWindowKind } from './fixed-window/index.js'
import { gcraKind, leakyBucketKind, tokenBucketKind } from './gcra/index.js'
import { registerKinds, resolvePolicy, type AnyKind } from './kind.js'
import { leakyQueueKind } from './leaky-queue/index.js'
import { slidingLogKind } from './sliding-log/index.js'
import { slidingWindowKind } from './sliding-window/index.js'
import { stagedKind } from './staged/index.js'
import { unlimitedKind } from './unlimited/index.js'

/** The kinds of policies, by the names of their builders. `scripts.ts` has the Lua of their steps, because only the Redis store needs it. */
export const kinds: Readonly<Record<string, AnyKind>> = {
  fixedWindow: fixedWindowKind,
  calendarWindow: calendarWindowKind,
  slidingWindow: slidingWindowKind,
  slidingLog: slidingLogKind,
  tokenBucket: tokenBucketKind,
  leakyBucket: leakyBucketKind,
  leakyQueue: leakyQueueKind,
  gcra: gcraKind,
  concurrency: concurrencyKind,
  staged: stagedKind,
  unlimited: unlimitedKind,
}

/**
 * Makes every algorithm available to policies that are plain data: from a file, a database or another process. A program that is not bundled has all of
 * them in any case. A bundler keeps only the algorithms whose builders the program calls, so call this once before the first limiter is made.
 *
 * @example
 * import { createLimiter } from '@sluice/core'
 * import { registerAlgorithms } from '@sluice/core/algorithms'
 *
 * registerAlgorithms()
 * const policies = JSON.parse('{ "kind": "gcra", "limit": 10, "window": "1s" }')
 * const limiter = createLimiter({ name: 'api', policies })
 */
export function registerAlgorithms(): void {
  registerKinds(kinds)
}

/**
 * Checks a policy that comes from a file as its builder does, and returns it as the builder does. Every kind of policy is available to files.
 *
 * @throws SluiceError SLUICE_POLICY_UNKNOWN, or the errors of the builder
 */
export function checkedPolicy(policy: unknown, where: string): Policy {
  registerAlgorithms()
  return resolvePolicy(policy, where).policy
}
