import { sluiceError } from '../../errors.js'
import { checked, readOptions } from '../../options/readers.js'
import { blockOption, isPolicy, type Blocking, type Policy } from '../../policy.js'
import { policyOf, resolvePolicy, type Kind } from '../kind.js'
import { stagedSteps, type Stage } from './steps.js'

/** Options of `staged`. */
export interface StagedOptions extends Blocking {
  /** The free quota, which is used first. */
  readonly free: Policy
  /** Decides the requests that `free` would deny. */
  readonly then: Policy
}

/** A policy of `staged`. */
export interface StagedPolicy extends Policy {
  readonly kind: 'staged'
  readonly free: Policy
  readonly then: Policy
}

/**
 * A free quota, and a slower policy after it: thirty requests a day, and then one every two seconds. The request that takes the last unit of `free`
 * resets `then` and counts in it. If both deny, the wait is the shorter one.
 *
 * @example
 * staged({
 *   free: calendarWindow({ limit: 30, period: 'day', timeZone: 'UTC' }),
 *   then: gcra({ limit: 1, window: '2s' }),
 * })
 * @throws SluiceError if an option is missing, unknown or out of range
 */
export function staged(options: StagedOptions): StagedPolicy {
  const readers = { free: stage, then: stage, block: blockOption }
  const policy = readOptions('staged', options, readers)
  stageOf(policy.free, 'free')
  stageOf(policy.then, 'then')
  return policyOf('staged', stagedKind, policy)
}

const stage = checked(
  'a policy without a block of its own (give it to the staged policy) that is neither staged nor a log nor concurrency',
  (value): value is Policy =>
    isPolicy(value) && value.block === undefined && value.kind !== 'staged',
)

function stageOf(policy: Policy, name: string): Stage {
  const { steps, params } = resolvePolicy(policy, `staged, "${name}"`)
  if (steps.records !== undefined) {
    throw sluiceError('SLUICE_OPTION_INVALID', 'staged', name, policy, stage.expected)
  }
  return { steps, params }
}

export const stagedKind: Kind<StagedPolicy> = {
  build: staged,
  quotas: ['free', 'then'],
  steps: ({ free, then }) => stagedSteps(stageOf(free, 'free'), stageOf(then, 'then')),
}
