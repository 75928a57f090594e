import { hasLeases } from '../../algorithms/kind.js'
import { bindPolicies, type Policies } from '../../limiter/bound-policies.js'
import { isPolicy } from '../../policy.js'
import type { BoundPolicy } from '../../stores/store.js'
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
  /** Its name for clients. If another policy of the response has it already, a number is appended. */
  readonly publicName: string
  /** The public name without a number. */
  readonly ownName: string
  /** The public name as a structured string. */
  readonly name: string
  /** The parameters of the item of `RateLimit-Policy` in the current draft. */
  readonly parameters: string
  /** That item. Each response has the same string, which V8 then does not have to join again. */
  readonly quotaItem: string
  /** The item of `RateLimit` up to the number that remains. */
  readonly remainingItem: string
  readonly quota: number
  /** Whole seconds, rounded up; undefined for `concurrency` and for a window shorter than a second. */
  readonly window: number | undefined
  /** Whether the time at which units become available is known. Units of `concurrency` may be released at any time. */
  readonly isTimed: boolean
}

/** An item before its name is known to be free in the response. */
type UnnamedItem = Omit<PolicyItem, 'publicName' | 'name' | 'quotaItem' | 'remainingItem'>

/** The names that clients read instead of the names of policies. Policies without an entry keep their names. */
export type PublicNames = ReadonlyMap<string, { readonly publicName?: string }>

/**
 * Finds the items of the policies of a response.
 *
 * @param earlier the headers that the response has already
 * @param names equal `policies` need equal `names`
 */
export type ItemFinder = (
  policies: Policies,
  earlier: EarlierHeaders,
  names?: PublicNames,
) => PolicyItems

/** Makes the function that finds the items of a limiter's policies. A policy without a name of its own has the limiter's name. */
export function itemFinder(limiter: string): ItemFinder {
  const known = new WeakMap<Policies, PolicyItems>()

  return function itemsFor(policies, earlier, names) {
    let items = known.get(policies)
    if (items === undefined) {
      const own = bindPolicies(limiter, policies).filter(isFinite)
      const nameOf = ownNamesOf(limiter, policies, names)
      items = numbered(new Map(own.map((one) => [one.name, policyItem(one, nameOf(one.name))])))
      known.set(policies, items)
    }
    const written = earlier.getHeader('RateLimit')
    return written === undefined ? items : distinctFrom(written, items)
  }
}

/** The name of a policy as clients read it. A policy without an item keeps its name. */
export function publicNameOf(policy: string, items: PolicyItems): string {
  return items.get(policy)?.publicName ?? policy
}

/** The items with names that the field `RateLimit` of the response does not contain. */
function distinctFrom(earlier: unknown, items: PolicyItems): PolicyItems {
  const taken = new Set(namesIn(earlier))
  for (const { name } of items.values()) if (taken.has(name)) return numbered(items, taken)
  return items
}

/** The same items: if a name is taken already, the first free one of `name-2`, `name-3` and so on replaces it. */
function numbered(
  items: ReadonlyMap<string, UnnamedItem>,
  taken: Set<string> = new Set(),
): PolicyItems {
  return new Map(
    Array.from(items, ([policy, item]) => {
      const { ownName } = item
      let publicName = ownName
      let name = structuredString(publicName)
      for (let n = 2; taken.has(name); n++) {
        publicName = `${ownName}-${n}`
        name = structuredString(publicName)
      }
      taken.add(name)
      const quotaItem = `${name}${item.parameters}`
      return [policy, { ...item, publicName, name, quotaItem, remainingItem: `${name};r=` }]
    }),
  )
}

function ownNamesOf(
  limiter: string,
  policies: Policies,
  names: PublicNames | undefined,
): (policy: string) => string {
  if (isPolicy(policies)) return () => limiter
  const joined = namesBefore.get(policies)
  if (joined !== undefined) return (policy) => joined.get(policy) ?? limiter
  return (policy) => names?.get(policy)?.publicName ?? policy
}

type NamesBefore = ReadonlyMap<string, string | undefined>

const namesBefore = new WeakMap<Policies, NamesBefore>()

/**
 * Remembers the names that joined policies had before, by their names in the joined ones. Undefined for a policy without a name of its own. Clients read
 * these names.
 */
export function rememberNames(policies: Policies, names: NamesBefore): void {
  namesBefore.set(policies, names)
}

function isFinite({ steps, params }: BoundPolicy): boolean {
  return steps.quota(params) !== Infinity
}

function policyItem(policy: BoundPolicy, ownName: string): UnnamedItem {
  const { steps, params } = policy
  const isTimed = !hasLeases(policy)
  const windowMs = steps.windowMs(params)
  // `w` is a whole number above 0, so a window shorter than a second is left out. Others are rounded up, so that a client that spreads its quota over
  // `w` stays within the limit.
  const window = isTimed && windowMs >= 1000 ? seconds(windowMs) : undefined
  const quota = structuredInteger(steps.quota(params))
  // Without `qu`, the unit is "requests".
  const unit = isTimed ? '' : ';qu="concurrent-requests"'
  const parameters = `;q=${quota}${window === undefined ? '' : `;w=${window}`}${unit}`
  return { ownName, parameters, quota, window, isTimed }
}
