import type { Clock } from '../../clock.js'
import type { Decision } from '../../limiter/decision.js'
import type { Keys, Policies } from '../../limiter/bound-policies.js'
import { draftFields } from './draft-fields.js'
import { noFields, type HeaderField } from './fields.js'
import { draft6Fields, draft7Fields, epochFields, legacyFields } from './older-fields.js'
import { partitionKeyOf } from './partition-key.js'
import type { PolicyItems } from './policy-items.js'
import type { HeaderStyle } from './header-style.js'
import { retryAfterSeconds } from './retry-after.js'

export type FieldWriter = (
  items: PolicyItems,
  policies: Policies,
  decision: Decision,
  key: Keys,
) => readonly HeaderField[]

export interface FieldOptions {
  readonly styles: HeaderStyle | readonly HeaderStyle[]
  readonly partitionKey: boolean
  readonly clock: Clock | undefined
}

/** Makes the function that writes a decision as header fields, in one style or in several. */
export function fieldWriter(limiter: string, options: FieldOptions): FieldWriter {
  const { styles, partitionKey, clock = Date.now } = options
  const writers: Readonly<Record<HeaderStyle, FieldWriter>> = {
    draft: partitionKey
      ? (items, policies, decision, key) =>
          draftFields(items, policies, decision, key, partitionKeyOf(limiter, key))
      : draftFields,
    'draft-7': (items, policies, decision) =>
      draft7Fields(items, decision, () => retryAfterSeconds(policies, decision)),
    'draft-6': (items, policies, decision) =>
      draft6Fields(items, decision, () => retryAfterSeconds(policies, decision)),
    legacy: (_items, _policies, decision) => legacyFields(decision),
    'legacy-epoch': (_items, _policies, decision) => epochFields(decision, clock()),
    none: () => noFields,
  }

  if (typeof styles === 'string') return writers[styles]
  // A map removes duplicates: draft-7 and draft-6 write the same RateLimit-Policy.
  return (...about) => [...new Map(styles.flatMap((style) => writers[style](...about)))]
}
