import { readOptions } from '../../options/readers.js'
import type { Policy } from '../../policy.js'
import { usualReading, type RowAlgorithm } from '../algorithm.js'
import { policyOf, type Kind } from '../kind.js'

/** A policy of `unlimited`. */
export interface UnlimitedPolicy extends Policy {
  readonly kind: 'unlimited'
}

/** Options of `unlimited`: there are none. */
type NoOptions = Readonly<Record<string, never>>

/**
 * Always allows and counts nothing: a plan without a limit. Its numbers are Infinity. It calls no store, ignores blocks, and does not change
 * the counts that another policy with its name has left.
 *
 * @throws SluiceError if there is an option: it has none
 */
export function unlimited(options: NoOptions = {}): UnlimitedPolicy {
  readOptions('unlimited', options, {})
  return policyOf(unlimitedKind, { kind: 'unlimited' }, undefined)
}

const unlimitedSteps: RowAlgorithm = {
  ...usualReading,
  id: 5,
  countsNothing: true,
  cells: () => ({ times: 0, counts: 0 }),
  args: () => [],
  look: () => true,
  take() {},
  refundReceipt() {},
  refundUnits() {},
  ends: () => 0,
  full: () => 0,
  wait: () => 0,
  next: () => 0,
  used: () => 0,
  quota: () => Infinity,
  windowMs: () => 0,
  followsWall: () => false,
}

export const unlimitedKind: Kind<UnlimitedPolicy> = {
  build: (options: NoOptions) => unlimited(options),
  quotas: [],
  steps: () => unlimitedSteps,
  params: () => ({}),
}

export const unlimitedLua = (): string => `
{
  look = function() return true end,
  take = function() end,
  refundReceipt = function() end,
  refundUnits = function() end,
  ends = function() return 0 end,
}`
