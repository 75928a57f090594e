import { joinKey } from '../keys.js'
import { isCount, isRecord } from '../options/predicates.js'
import type { PlannedStore } from '../stores/memory/index.js'
import type { BoundPolicy, Reply, Store } from '../stores/store.js'
import { resolveKeys, type Keys, type Policies } from './bound-policies.js'
import type { ConsumeOptions, PeekOptions } from './calls.js'
import { costOf, type Costs } from './costs.js'
import type { Decision } from './decision.js'
import { isObserved, report } from './events.js'
import { Plan, type JoinedKeys } from './plan.js'
import { heldLeaseOf, type ChangeLease } from './reading/read-decision.js'
import { receiptOf } from './receipts/receipt.js'
import type { Requests } from './requests.js'

/** The methods of a limiter that decide one request. */
export interface DecisionCalls<S extends Store> {
  consume(key: Keys, options?: ConsumeOptions): Reply<S, Decision<S>>
  peek(key: Keys, options?: PeekOptions): Reply<S, Decision>
}

/**
 * Decides by compiled plans: without a request and an outcome for each decision. Each list of policies is compiled once, and its plan is kept as long as the
 * list.
 *
 * @param asked decides while the application has replaced the `run` of the store
 */
export function decideByPlans<S extends Store>(
  limiter: string,
  store: PlannedStore,
  requests: Requests,
  changeLease: ChangeLease<S>,
  asked: DecisionCalls<S>,
): DecisionCalls<S> {
  const { hasClock, injectedTime, watchKey } = requests
  const plans = new WeakMap<readonly BoundPolicy[], Plan>()
  /** The plans for some of the policies of a list, by their names: a key can leave policies out. */
  const parts = new WeakMap<Plan, Map<string, Plan>>()
  let last: { readonly policies: Policies | undefined; readonly plan: Plan } | undefined

  function planOf(entries: readonly BoundPolicy[]): Plan {
    let plan = plans.get(entries)
    if (plan === undefined) {
      plan = new Plan(entries, store.compile(entries, hasClock))
      plans.set(entries, plan)
    }
    return plan
  }

  /** The plan of a call. The last one is kept, because most calls have the same policies. */
  function planFor(policies: Policies | undefined): Plan {
    if (last === undefined || last.policies !== policies) {
      last = { policies, plan: planOf(requests.entriesFor(policies)) }
    }
    return last.plan
  }

  function partOf(plan: Plan, entries: readonly BoundPolicy[]): Plan {
    if (entries === plan.policies) return plan
    const known = parts.get(plan) ?? new Map<string, Plan>()
    parts.set(plan, known)
    const names = JSON.stringify(entries.map(({ name }) => name))
    const part = known.get(names) ?? planOf(entries)
    known.set(names, part)
    return part
  }

  /** The plan for those policies that have a key, and these keys. */
  function partFor(plan: Plan, key: Keys): { readonly plan: Plan; readonly keys: JoinedKeys } {
    const { entries, keys } = resolveKeys(limiter, plan.policies, key)
    return { plan: partOf(plan, entries), keys }
  }

  /** The lease of an allowed request is a field of its decision. */
  function withLease(decision: Decision): Decision {
    const receipt = decision.allowed ? receiptOf(decision) : undefined
    if (receipt?.request.verb !== 'consume') return decision
    const lease = heldLeaseOf(receipt.outcome, receipt.request, changeLease)
    return lease === undefined ? decision : Object.assign(decision, { lease })
  }

  /** Consumes for a key or a cost of another form than one string or one number. */
  function consumePart(
    whole: Plan,
    key: Keys,
    costs: Costs,
    owner: string | undefined,
    now: number | undefined,
  ): Decision {
    const { plan, keys } = partFor(whole, key)
    const cost = costOf(limiter, whole.policies, plan.policies, costs)
    return plan.consume(keys, cost, owner, now)
  }

  function peek(key: Keys, options: PeekOptions | undefined): Decision {
    requests.checkPeek(options)
    const whole = planFor(options?.policies)
    const { plan, keys } = partFor(whole, key)
    const cost = costOf(limiter, whole.policies, plan.policies, options?.cost)
    return plan.peek(keys, cost, hasClock ? injectedTime() : undefined)
  }

  return {
    consume(key, options) {
      if (!store.runsItself) return asked.consume(key, options)
      let cost: Costs = 1
      let policies: Policies | undefined
      let owner: string | undefined
      if (options !== undefined) {
        if (!areKnown(options)) requests.checkConsume(options)
        ;({ cost = 1, policies, owner } = options)
        if (owner !== undefined) requests.checkOwner(owner)
      }
      const plan = planFor(policies)
      watchKey?.(key, policies)
      const now = hasClock ? injectedTime() : undefined
      const joined = typeof key === 'string' ? joinKey(key) : undefined
      let decision =
        joined === undefined || !isCount(cost)
          ? consumePart(plan, key, cost, owner, now)
          : plan.consume(joined, cost, owner, now)
      if (plan.hasLeases) decision = withLease(decision)
      if (isObserved(decision)) report(limiter, decision, options)
      return replyOf<S, Decision<S>>(decision)
    },
    peek(key, options) {
      return store.runsItself ? replyOf<S, Decision>(peek(key, options)) : asked.peek(key, options)
    },
  }
}

/** Whether each option is one of `consume`. If not, `checkConsume` throws the error that says which. */
function areKnown(options: ConsumeOptions): boolean {
  if (!isRecord(options)) return false
  for (const name in options) {
    if (name !== 'cost' && name !== 'policies' && name !== 'owner' && name !== 'request')
      return false
  }
  return true
}

/** The decision as the reply of a synchronous store. */
function replyOf<S extends Store, D>(decision: Decision): Reply<S, D> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the compiler cannot know that S is the type of this store
  return decision as Reply<S, D>
}
