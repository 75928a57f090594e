import { sluiceError } from '../errors.js'
import { markBuilt } from '../options/readers.js'
import { isPolicy, type Policy } from '../policy.js'
import { calendarWindowKind } from './calendar-window/index.js'
import { concurrencyKind } from './concurrency/index.js'
import { fixedWindowKind } from './fixed-window/index.js'
import { leakyBucketKind, tokenBucketKind } from './gcra/buckets.js'
import { gcraKind } from './gcra/index.js'
import type { Kind, Rule } from './kind.js'
import { leakyQueueKind } from './leaky-queue/index.js'
import { slidingLogKind } from './sliding-log/index.js'
import { slidingWindowKind } from './sliding-window/index.js'
import { createStagedKind } from './staged/index.js'
import { unlimitedKind } from './unlimited/index.js'

const kinds: Readonly<Record<string, Kind>> = {
  fixedWindow: fixedWindowKind,
  calendarWindow: calendarWindowKind,
  slidingWindow: slidingWindowKind,
  slidingLog: slidingLogKind,
  tokenBucket: tokenBucketKind,
  leakyBucket: leakyBucketKind,
  leakyQueue: leakyQueueKind,
  gcra: gcraKind,
  concurrency: concurrencyKind,
  staged: createStagedKind(ruleOf),
  unlimited: unlimitedKind,
}

/**
 * Finds the algorithm of a policy and checks the policy as its builder does, because it may come from a file.
 *
 * @throws SluiceError SLUICE_POLICY_UNKNOWN, or the errors of the builder
 */
export function ruleOf(policy: unknown, where: string): Rule {
  if (!isPolicy(policy) || !Object.hasOwn(kinds, policy.kind)) {
    throw sluiceError('SLUICE_POLICY_UNKNOWN', where, policy, Object.keys(kinds))
  }
  const { kind: name, ...options } = policy
  const kind = kinds[name]
  markBuilt(options)
  markBuilt(options.block)
  const checked = kind.build(options)
  return {
    kind: name,
    policy: checked,
    steps: kind.steps(checked),
    params: kind.params(checked),
    block: checked.block,
  }
}

/** The same policy with a share of each quota, rounded up: the part of one process while several processes cannot count together. */
export function sharePolicy(policy: Policy, share: number): Policy {
  const shared: Record<string, unknown> = { ...policy }
  for (const quota of kinds[policy.kind].quotas) {
    const whole = shared[quota]
    if (typeof whole === 'number') shared[quota] = Math.ceil(rounded(whole * share))
    else if (isPolicy(whole)) shared[quota] = sharePolicy(whole, share)
  }
  return { ...shared, kind: policy.kind }
}

/** Removes the rounding error of a product: 70 × 0.1 is 7.000000000000001. */
function rounded(product: number): number {
  return Number(product.toPrecision(14))
}
