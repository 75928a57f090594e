import type { Policies } from '../../limiter/bound-policies.js'
import { isPolicy, namedPolicies, type Policy } from '../../policy.js'
import { after, together } from '../awaitable.js'
import type { Plan } from '../options/plan.js'
import { rememberNames } from '../response/policy-items.js'

/**
 * Joins the policies of several plans. If a name is taken already, a number is appended: the single policy of the first plan is called "default", and
 * that of the second plan "default #2".
 */
export function joinPlans<R>(
  plans: readonly Plan<R>[],
): Policies | ((request: R) => Policies | Promise<Policies>) {
  if (plans.every(({ perRequest }) => !perRequest)) {
    return joined(plans.map(({ policies }) => policies))
  }
  const join = cachedByIdentity(joined)
  return (request) =>
    after(
      together(plans, (plan) => plan.policiesFor(request)),
      join,
    )
}

function joined(each: readonly Policies[]): Policies {
  const all = new Map<string, Policy>()
  const before = new Map<string, string | undefined>()
  for (const policies of each) {
    for (const [name, policy] of Object.entries(namedPolicies(policies))) {
      let free = name
      for (let n = 2; all.has(free); n++) free = `${name} #${n}`
      all.set(free, policy)
      before.set(free, isPolicy(policies) ? undefined : name)
    }
  }
  const record = Object.fromEntries(all)
  rememberNames(record, before)
  return record
}

interface Node {
  readonly next: WeakMap<Policies, Node>
  joined?: Policies
}

/** Equal lists return the same record, because the header writer caches by the identity of the record. */
function cachedByIdentity(
  join: (each: readonly Policies[]) => Policies,
): (each: readonly Policies[]) => Policies {
  const root: Node = { next: new WeakMap() }
  return function joinOnce(each) {
    let node = root
    for (const policies of each) {
      let next = node.next.get(policies)
      if (next === undefined) {
        next = { next: new WeakMap() }
        node.next.set(policies, next)
      }
      node = next
    }
    return (node.joined ??= join(each))
  }
}
