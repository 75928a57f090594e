import { readOptions } from '../../options/readers.js'
import type { Policy } from '../../policy.js'
import type { Algorithm } from '../algorithm.js'
import { policyOf, type Kind } from '../kind.js'

/** A policy of `unlimited`. */
export interface UnlimitedPolicy extends Policy {
  readonly kind: 'unlimited'
}

/**
 * Always allows and counts nothing: a plan without a limit. Its numbers are Infinity. It calls no store, ignores blocks, and does not change
 * the counts that another policy with its name has left.
 *
 * @throws SluiceError if there is an option: it has none
 */
export function unlimited(options: Readonly<Record<string, never>> = {}): UnlimitedPolicy {
  readOptions('unlimited', options, {})
  return policyOf('unlimited', unlimitedKind, { block: undefined })
}

const unlimitedSteps: Algorithm = {
  id: 5,
  size: () => ({ times: 0, counts: 0 }),
  args: () => [],
  look: () => true,
  take() {},
  refund() {},
  ends: () => 0,
  used: () => 0,
  read: () => ({ used: 0, wait: 0, next: 0, full: 0, delay: 0 }),
  quota: () => Infinity,
  windowMs: () => 0,
}

export const unlimitedKind: Kind<UnlimitedPolicy> = {
  build: (options: Readonly<Record<string, never>>) => unlimited(options),
  quotas: [],
  steps: () => unlimitedSteps,
}
