import { hasLeases } from '../../algorithms/kind.js'
import { counts, limiterPolicies, type Policies } from '../../limiter/limiter-policies.js'
import { isPolicy } from '../../policy.js'
import type { PublicNames } from './limit-result.js'
import type { LimiterPolicy } from '../../stores/store.js'
import {
  namesIn,
  seconds,
  structuredInteger,
  structuredString,
  type EarlierHeaders,
} from './fields.js'

/** The policies with a finite quota, by name. Others, such as `unlimited`, are in no header. */
export type PolicyItems = ReadonlyMap<string, PolicyItem>

/** A policy as clients read it. */
export interface PolicyItem {
  /** The name of the policy without a number. */
  readonly ownName: string
  /** Its name for clients. If another policy of the response has it already, a number is appended. */
  readonly publicName: string
  /** The public name as a structured string. */
  readonly name: string
  /** The parameters of the item of `RateLimit-Policy` in the current draft. */
  readonly parameters: string
  readonly quota: number
  /** Whole seconds, rounded up; undefined for `concurrency` and for a window shorter than a second. */
  readonly window: number | undefined
  /** Whether the time at which units become available is known. Units of `concurrency` may be released at any time. */
  readonly isTimed: boolean
}

/**
 * Finds the items of the policies of a response.
 *
 * @param counted equal `policies` need equal `names`
 * @param earlier the headers that the response has already
 */
export type ItemFinder = (
  counted: { readonly policies: Policies; readonly names?: PublicNames },
  earlier: EarlierHeaders,
) => PolicyItems

export const noItems: PolicyItems = new Map()

/** Makes the function that finds the items of a limiter's policies. A policy without a name of its own has the limiter's name. */
export function itemFinder(limiter: string): ItemFinder {
  const known = new WeakMap<Policies, PolicyItems>()

  return function itemsFor({ policies, names }, earlier) {
    const items = known.get(policies) ?? itemsOf(policies, names)
    known.set(policies, items)
    const written = earlier.getHeader('RateLimit')
    if (written === undefined) return items
    const taken = new Set(namesIn(written))
    return [...items.values()].some(({ name }) => taken.has(name)) ? numbered(items, taken) : items
  }

  function itemsOf(policies: Policies, names: PublicNames | undefined): PolicyItems {
    const own = limiterPolicies(limiter, policies).filter(counts)
    const items = own.map((policy) => {
      const { name } = policy
      const ownName = isPolicy(policies) ? limiter : (names?.get(name)?.publicName ?? name)
      return [name, policyItem(policy, ownName)] as const
    })
    return numbered(new Map(items), new Set())
  }
}

/** The name of a policy as clients read it. A policy without an item keeps its name. */
export function publicNameOf(policy: string, items: PolicyItems): string {
  return items.get(policy)?.publicName ?? policy
}

/** The same items: if a name is taken already, the first free one of `name-2`, `name-3` and so on replaces it. */
function numbered(items: PolicyItems, taken: Set<string>): PolicyItems {
  return new Map(
    Array.from(items, ([policy, item]) => {
      let publicName = item.ownName
      for (let n = 2; taken.has(structuredString(publicName)); n++) {
        publicName = `${item.ownName}-${n}`
      }
      const name = structuredString(publicName)
      taken.add(name)
      return [policy, { ...item, publicName, name }]
    }),
  )
}

function policyItem(policy: LimiterPolicy, ownName: string): PolicyItem {
  const isTimed = !hasLeases(policy)
  const windowMs = policy.steps.windowMs(policy.params)
  // `w` is a whole number above 0, so a window shorter than a second is left out. Others are rounded up, so that a client that spreads its quota over
  // `w` stays within the limit.
  const window = isTimed && windowMs >= 1000 ? seconds(windowMs) : undefined
  const quota = structuredInteger(policy.quota)
  // Without `qu`, the unit is "requests".
  const unit = isTimed ? '' : ';qu="concurrent-requests"'
  const parameters = `;q=${quota}${window === undefined ? '' : `;w=${window}`}${unit}`
  return { ownName, publicName: ownName, name: '', parameters, quota, window, isTimed }
}
