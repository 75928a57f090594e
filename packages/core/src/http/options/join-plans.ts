import type { Policies } from '../../limiter/bound-policies.js'
import { isPolicy, type Policy } from '../../policy.js'
import { after, together } from '../awaitable.js'
import type { Plan } from './plan.js'

/**
 * Joins the policies of several plans. A single policy of the first is called "default", of the second "default #2" and so on: a name that is taken gets a
 * number.
 */
export function joinPlans<R>(
  plans: readonly Plan<R>[],
): Policies | ((request: R) => Policies | Promise<Policies>) {
  if (plans.every(({ perRequest }) => !perRequest)) {
    return joined(plans.map(({ policies }) => policies))
  }
  const join = remembered(joined)
  return (request) =>
    after(
      together(plans, (plan) => plan.policiesFor(request)),
      join,
    )
}

/** All policies as one record. A name that is taken is numbered. */
function joined(each: readonly Policies[]): Policies {
  const all = new Map<string, Policy>()
  for (const policies of each) {
    for (const [name, policy] of isPolicy(policies)
      ? [['default', policies] as const]
      : Object.entries(policies)) {
      let free = name
      for (let n = 2; all.has(free); n++) free = `${name} #${n}`
      all.set(free, policy)
    }
  }
  return Object.fromEntries(all)
}

interface Node {
  readonly next: WeakMap<Policies, Node>
  joined?: Policies
}

/** The same policies give the same record, because what is known of a record is kept by its identity. */
function remembered(
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
