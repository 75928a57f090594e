import { isKey, type Keys, type Policies } from '../../limiter/bound-policies.js'
import { notLimited } from '../../keys.js'
import { namedPolicies } from '../../policy.js'
import type { AppliedRule } from './judgement.js'
import type { Part } from './rule-decision.js'

/** The changes that a response makes to the counts of a part. */
export interface Settlement {
  /** The policies whose units are refunded, because their rule does not count such a response. */
  readonly refunded: readonly string[]
  /** The keys whose counts are reset. Undefined if there are none. */
  readonly reset: Keys | undefined
}

/** The changes that a response with this success makes to the counts of a part of its request. */
export function settlementOf(part: Part, succeeded: boolean): Settlement {
  const { keys, policies } = part.consumption
  const { allowed } = part.decision
  const refunded = namesOf(part, (rule) => allowed && !counts(rule, succeeded))
  const reset = namesOf(part, ({ resetOnSuccess }) => resetOnSuccess && succeeded)
  return { refunded, reset: reset.length === 0 ? undefined : keysToReset(keys, policies, reset) }
}

/** Whether a response can change the counts of a part. */
export function dependsOnOutcome({ consumption: { rules }, decision: { allowed } }: Part): boolean {
  for (const { counts, resetOnSuccess } of rules.values()) {
    if (resetOnSuccess || (allowed && counts !== 'all')) return true
  }
  return false
}

/** The policies that were asked and whose rule fulfils a condition. */
function namesOf(
  { consumption: { rules }, decision }: Part,
  fulfils: (rule: AppliedRule) => boolean,
): readonly string[] {
  return Object.keys(decision.policies).filter((name) => {
    const rule = rules.get(name)
    return rule !== undefined && fulfils(rule)
  })
}

function counts({ counts }: AppliedRule, succeeded: boolean): boolean {
  return counts === 'all' || (counts === 'successes') === succeeded
}

/** The keys of these policies. Leaves out `concurrency`, whose units belong to requests that are still running. */
function keysToReset(key: Keys, policies: Policies, names: readonly string[]): Keys {
  return Object.fromEntries(
    Object.entries(namedPolicies(policies)).map(([name, { kind }]) => {
      const isKept = kind === 'concurrency' || !names.includes(name)
      return [name, isKept ? notLimited : isKey(key) ? key : key[name]]
    }),
  )
}
