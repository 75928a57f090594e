import { joinKey } from '../keys.js'
import { isCount, isRecord } from '../options/predicates.js'
import type { CompiledPolicies } from '../stores/compiled-policies.js'
import type { BoundPolicy, Cost } from '../stores/store.js'
import type { Policies } from './bound-policies.js'
import { resolveKeys, costOf, type Keys, type ConsumeOptions } from './arguments.js'
import { isMode } from './events.js'
import type { Plan } from './plan.js'
import type { DecidedCall, JoinedKeys } from './receipt.js'
import type { Requests } from './requests.js'

/** A call of a limiter, with the plan that decides it. */
export interface PlannedCall<P> {
  readonly plan: P
  readonly call: DecidedCall
  readonly key: JoinedKeys
  readonly cost: Cost
}

/** The options of `consume`, and of each other method that decides. */
export type CallOptions = Omit<ConsumeOptions, 'cost'> & { readonly cost?: unknown }

export interface Plans<P> {
  /** The plan of a call. */
  planFor(policies: Policies | undefined): P
  /** The plan for a list of policies, which is compiled once. */
  planOf(policies: readonly BoundPolicy[]): P
  /** Checks the arguments of a call, except the names of its options. */
  callOf(verb: DecidedCall['verb'], key: Keys, options: CallOptions | undefined): PlannedCall<P>
}

/** Finds the plans of a limiter's calls. Each list of policies is compiled once, and its plan is kept as long as the list. */
export function createPlans<C extends Pick<CompiledPolicies, 'decided'>>(
  limiter: string,
  { boundFor, hasClock, injectedTime, checkOwner, watchKey }: Requests,
  compile: (policies: readonly BoundPolicy[]) => Plan<C>,
): Plans<Plan<C>> {
  const plans = new WeakMap<readonly BoundPolicy[], Plan<C>>()
  /** The plans for some of the policies of a list, by their names: a key can leave policies out. */
  const parts = new WeakMap<Plan<C>, Map<string, Plan<C>>>()
  let last: { readonly policies: Policies | undefined; readonly plan: Plan<C> } | undefined

  function planOf(policies: readonly BoundPolicy[]): Plan<C> {
    let plan = plans.get(policies)
    if (plan === undefined) {
      plan = compile(policies)
      plans.set(policies, plan)
    }
    return plan
  }

  /** The last plan is kept, because most calls have the same policies. */
  function planFor(policies: Policies | undefined): Plan<C> {
    if (last === undefined || last.policies !== policies) {
      last = { policies, plan: planOf(boundFor(policies)) }
    }
    return last.plan
  }

  function partOf(plan: Plan<C>, policies: readonly BoundPolicy[]): Plan<C> {
    if (policies === plan.policies) return plan
    const known = parts.get(plan) ?? new Map<string, Plan<C>>()
    parts.set(plan, known)
    const names = JSON.stringify(policies.map(({ name }) => name))
    const part = known.get(names) ?? planOf(policies)
    known.set(names, part)
    return part
  }

  return {
    planFor,
    planOf,
    callOf(verb, key, { cost = 1, policies, owner } = {}) {
      if (owner !== undefined) checkOwner(owner)
      const whole = planFor(policies)
      if (verb === 'consume') watchKey?.(key, policies)
      const now = hasClock ? injectedTime() : undefined
      const joined = typeof key === 'string' ? joinKey(key) : undefined
      if (joined !== undefined && isCount(cost)) {
        return { plan: whole, call: whole.callOf(verb, owner, now), key: joined, cost }
      }
      const { policies: asked, keys } = resolveKeys(limiter, whole.policies, key)
      const plan = partOf(whole, asked)
      const costs = costOf(limiter, whole.policies, asked, cost)
      return { plan, call: plan.callOf(verb, owner, now), key: keys, cost: costs }
    },
  }
}

/** Whether each option is one of `consume`, and its mode is valid. If not, `checkConsume` throws the error that says which is wrong. */
export function areKnown(options: ConsumeOptions): boolean {
  if (!isRecord(options)) return false
  for (const name in options) {
    if (name === 'cost' || name === 'policies' || name === 'owner' || name === 'request') continue
    if (name !== 'mode' || !isMode(options['mode'])) return false
  }
  return true
}
