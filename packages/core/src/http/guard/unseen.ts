import { sluiceError } from '../../errors.js'
import type { Policies } from '../../limiter/bound-policies.js'
import { namedPolicies } from '../../policy.js'
import type { RateLimitOptions } from '../options/options.js'
import type { Consumption } from '../rules/judgement.js'
import type { Stage } from './exchange.js'

/** Whether a decision by these policies can have a lease. */
export function grantsLeases(policies: Policies): boolean {
  return Object.values(namedPolicies(policies)).some(({ kind }) => kind === 'concurrency')
}

/**
 * Makes the stage before the others of a check that sees no response. It refuses options that depend on the response, before anything is taken.
 *
 * @throws SluiceError SLUICE_RESPONSE_UNSEEN, at each call of the stage
 */
export function unseenOptions<R, H>(
  limiter: string,
  { count = 'all', resetOn }: RateLimitOptions<R, H>,
  policies: Policies,
): () => void {
  const options = count === 'all' ? resetOn && '"resetOn"' : '"count"'
  const needed = options ?? (grantsLeases(policies) ? aConcurrency : undefined)
  return function refuseOptions() {
    if (needed !== undefined) throw sluiceError('SLUICE_RESPONSE_UNSEEN', limiter, needed)
  }
}

const aConcurrency = 'a policy of "concurrency"'

/** Makes the stage before the limits are asked. It refuses policies and rules that a request has of its own, if they depend on the response. */
export function unseenConsumptions<R, H>(limiter: string): Stage<R, H> {
  return function refuseConsumptions({ consumption, judgement }) {
    const others = judgement?.type === 'ask' ? [...judgement.tagging, ...judgement.shadow] : []
    for (const asked of consumption === undefined ? others : [consumption, ...others]) {
      const needed = neededBy(asked)
      if (needed !== undefined) throw sluiceError('SLUICE_RESPONSE_UNSEEN', limiter, needed)
    }
  }
}

function neededBy({ policies, rules }: Consumption): string | undefined {
  if (grantsLeases(policies)) return aConcurrency
  for (const { rule, counts, resetOnSuccess } of rules.values()) {
    if (counts !== 'all') return `"count" of the rule ${JSON.stringify(rule)}`
    if (resetOnSuccess) return `"resetOn" of the rule ${JSON.stringify(rule)}`
  }
  return undefined
}
