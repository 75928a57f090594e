import type { Policy } from '../policy.js'
import { calendarWindowKind } from './calendar-window/index.js'
import { concurrencyKind } from './concurrency/index.js'
import { fixedWindowKind } from './fixed-window/index.js'
import { gcraKind, leakyBucketKind, tokenBucketKind } from './gcra/index.js'
import { registerKind, resolvePolicy, type Kind, type PolicyKind } from './kind.js'
import { leakyQueueKind } from './leaky-queue/index.js'
import { slidingLogKind } from './sliding-log/index.js'
import { slidingWindowKind } from './sliding-window/index.js'
import { stagedKind } from './staged/index.js'
import { unlimitedKind } from './unlimited/index.js'

/**
 * The kinds of policies, by the names of their builders. The steps of each have an id, which a store keeps with their rows, and `scripts.ts` has their Lua.
 *
 * A new algorithm takes the next free id from 10, or from 129 if the number of its cells depends on the policy. 123 to 127 are rows beside those of policies,
 * and from 135 an id is a pair of two others.
 */
const kinds: Readonly<Record<PolicyKind, Kind>> = {
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
  for (const [name, kind] of Object.entries(kinds)) registerKind(name, kind)
}

/**
 * Checks a policy that comes from a file as its builder does, and returns it in the builder's form. Every kind of policy is available to files.
 *
 * @throws SluiceError SLUICE_POLICY_UNKNOWN, or the errors of the builder
 */
export function checkedPolicy(policy: unknown, where: string): Policy {
  registerAlgorithms()
  return resolvePolicy(policy, where).policy
}
