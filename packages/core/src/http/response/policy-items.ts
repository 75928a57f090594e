import type { BoundPolicy } from '../../stores/store.js'
import { seconds, structuredInteger, structuredString } from './fields.js'

/** The policies with a finite quota, by name. Others, such as `unlimited`, are in no header. */
export type PolicyItems = ReadonlyMap<string, PolicyItem>

/** The part of a policy that is the same in every response. */
export interface PolicyItem {
  /** The policy's name for clients, as a structured string. */
  readonly name: string
  /** The item of `RateLimit-Policy` in the current draft. */
  readonly item: string
  readonly quota: number
  /** Whole seconds, rounded up; undefined for `concurrency` and for a window shorter than a second. */
  readonly window: number | undefined
  /** Whether the time at which units become available is known. Units of `concurrency` may be released at any time. */
  readonly isTimed: boolean
}

/** The names that clients read instead of the names of policies. Policies without an entry keep their names. */
export type PublicNames = ReadonlyMap<string, { readonly publicName?: string }>

/** The name of a policy as clients read it. */
export function publicNameOf(policy: string, names: PublicNames | undefined): string {
  return names?.get(policy)?.publicName ?? policy
}

export function policyItems(policies: readonly BoundPolicy[], names?: PublicNames): PolicyItems {
  const finite = policies.filter(({ steps, params }) => steps.quota(params) !== Infinity)
  return new Map(finite.map((policy) => [policy.name, policyItem(policy, names)]))
}

function policyItem(
  { name, kind, steps, params }: BoundPolicy,
  names: PublicNames | undefined,
): PolicyItem {
  const isTimed = kind !== 'concurrency'
  const windowMs = steps.windowMs(params)
  // `w` is a whole number above 0, so a window shorter than a second is left out. Others are rounded up, so that a client that spreads its quota over
  // `w` stays within the limit.
  const window = isTimed && windowMs >= 1000 ? seconds(windowMs) : undefined
  const quota = structuredInteger(steps.quota(params))
  const text = structuredString(publicNameOf(name, names))
  // Without `qu`, the unit is "requests".
  const unit = isTimed ? '' : ';qu="concurrent-requests"'
  const item = `${text};q=${quota}${window === undefined ? '' : `;w=${window}`}${unit}`
  return { name: text, item, quota, window, isTimed }
}
