import { sluiceError } from '../errors.js'
import { isPolicy } from '../policy.js'
import type { Algorithm, Params } from './algorithm.js'
import { fixedWindowKind } from './fixed-window/index.js'
import { gcraKind, tokenBucketKind } from './gcra/index.js'
import type { Kind } from './kind.js'
import { slidingWindowKind } from './sliding-window/index.js'

const kinds: Readonly<Record<string, Kind>> = {
  fixedWindow: fixedWindowKind,
  slidingWindow: slidingWindowKind,
  gcra: gcraKind,
  tokenBucket: tokenBucketKind,
}

/** A policy as the stores want it: the steps that decide it, and its numbers. */
export interface Rule {
  readonly steps: Algorithm
  readonly params: Params
}

/**
 * Finds the algorithm of a policy, checking the policy as its builder would: it may come from a file.
 *
 * @throws SluiceError SLUICE_POLICY_UNKNOWN, or what the builder says
 */
export function ruleOf(policy: unknown, where: string): Rule {
  if (!isPolicy(policy) || !Object.hasOwn(kinds, policy.kind)) {
    throw sluiceError('SLUICE_POLICY_UNKNOWN', where, policy, Object.keys(kinds))
  }
  const { kind, ...options } = policy
  const { build, steps, params } = kinds[kind]
  return { steps, params: params(build(options)) }
}
