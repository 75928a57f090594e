import { sluiceError } from '../../errors.js'
import { readOptions, type OptionReader } from '../../options/readers.js'
import { blockOption, isPolicy, policyOf, type BlockOptions, type Policy } from '../../policy.js'
import type { Kind, Rule } from '../kind.js'
import { stagedSteps, type Stage } from './step.js'

export interface StagedOptions {
  /** What is free: its quota is used up first. */
  readonly free: Policy
  /** Decides what `free` would deny. */
  readonly then: Policy
  readonly block?: BlockOptions
}

export interface StagedPolicy extends Policy {
  readonly kind: 'staged'
  readonly free: Policy
  readonly then: Policy
}

/**
 * A quota that is free, and a slower rule for what comes after it: thirty answers a day, after that one every two seconds. The request that
 * takes the last of `free` starts `then` anew and counts in it. When both deny, the wait is the shorter one.
 *
 * @example
 * staged({
 *   free: calendarWindow({ limit: 30, period: 'day', timeZone: 'UTC' }),
 *   then: gcra({ limit: 1, window: '2s' }),
 * })
 * @throws SluiceError where an option is missing, unknown or out of range
 */
export function staged(options: StagedOptions): StagedPolicy {
  const { free, then, block } = readOptions('staged', options, {
    free: stage,
    then: stage,
    block: blockOption,
  })
  return policyOf({ kind: 'staged', free, then }, block)
}

const stage: OptionReader<Policy> = {
  expected:
    'a policy without a block of its own (give it to the staged policy) that is neither staged nor a log nor concurrency',
  read: (value) =>
    isPolicy(value) && value.block === undefined && value.kind !== 'staged' ? value : undefined,
}

/** The registry passes itself in: a staged policy is made of others. */
export function createStagedKind(
  ruleOf: (policy: unknown, where: string) => Rule,
): Kind<StagedPolicy> {
  function stageOf(policy: Policy, name: string): Stage {
    const { steps, params } = ruleOf(policy, `staged, "${name}"`)
    if (steps.bodied === true) {
      throw sluiceError('SLUICE_OPTION_INVALID', 'staged', name, policy, stage.expected)
    }
    return { steps, params }
  }

  return {
    build: staged,
    quotas: ['free', 'then'],
    steps: ({ free, then }) => stagedSteps(stageOf(free, 'free'), stageOf(then, 'then')),
    params: () => ({}),
  }
}
