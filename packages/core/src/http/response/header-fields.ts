import type { Clock } from '../../clock.js'
import type { Decision } from '../../limiter/decision.js'
import { bindPolicies, type Keys, type Policies } from '../../limiter/bound-policies.js'
import { draftFields } from './draft-fields.js'
import { noFields, type HeaderField } from './fields.js'
import { draft6Fields, draft7Fields, epochFields, legacyFields } from './older-fields.js'
import { partitionKeyOf } from './partition-key.js'
import { policyItems, type PolicyItems, type PublicNames } from './policy-items.js'
import { retryAfterSeconds } from './retry-after.js'

/**
 * The style of the rate limit headers. `draft` is draft-ietf-httpapi-ratelimit-headers-10, `draft-7` and `draft-6` are earlier revisions of it. `legacy`
 * and `legacy-epoch` write `X-RateLimit-*`, with the reset in seconds from now or as a date in seconds since 1970.
 */
export type HeaderStyle = 'draft' | 'draft-7' | 'draft-6' | 'legacy' | 'legacy-epoch' | 'none'

/** Equal `policies` need equal `names`. */
export type FieldWriter = (
  policies: Policies,
  decision: Decision,
  key: Keys,
  names?: PublicNames,
) => readonly HeaderField[]

export interface FieldOptions {
  readonly styles: HeaderStyle | readonly HeaderStyle[]
  readonly partitionKey: boolean
  readonly clock: Clock | undefined
}

/** Makes the function that writes a decision as header fields, in one style or in several. */
export function fieldWriter(limiter: string, options: FieldOptions): FieldWriter {
  const { styles, partitionKey, clock = Date.now } = options
  const known = new WeakMap<Policies, PolicyItems>()

  function itemsOf(policies: Policies, names: PublicNames | undefined): PolicyItems {
    let items = known.get(policies)
    if (items === undefined) {
      items = policyItems(bindPolicies(limiter, policies), names)
      known.set(policies, items)
    }
    return items
  }

  const writers: Readonly<Record<HeaderStyle, FieldWriter>> = {
    draft(policies, decision, key, names) {
      const keyOf = partitionKey ? partitionKeyOf(limiter, key) : undefined
      return draftFields(itemsOf(policies, names), decision, keyOf)
    },
    'draft-7': (policies, decision, _key, names) =>
      draft7Fields(itemsOf(policies, names), decision, () => retryAfterSeconds(policies, decision)),
    'draft-6': (policies, decision, _key, names) =>
      draft6Fields(itemsOf(policies, names), decision, () => retryAfterSeconds(policies, decision)),
    legacy: (_policies, decision) => legacyFields(decision),
    'legacy-epoch': (_policies, decision) => epochFields(decision, clock()),
    none: () => noFields,
  }

  if (typeof styles === 'string') return writers[styles]
  // A map removes duplicates: draft-7 and draft-6 write the same RateLimit-Policy.
  return (policies, decision, key, names) => [
    ...new Map(styles.flatMap((style) => writers[style](policies, decision, key, names))),
  ]
}
