import { grantsLeases } from '../../algorithms/kind.js'
import type { Clock } from '../../clock.js'
import type { Decision } from '../../limiter/decision.js'
import type { Policies } from '../../limiter/bound-policies.js'
import { isKey, type Keys } from '../../limiter/arguments.js'
import { noFields, seconds, structuredInteger, type HeaderField } from './fields.js'
import { draft6Fields, draft7Fields, epochFields, legacyFields } from './older-fields.js'
import type { PolicyItems } from './policy-items.js'
import { base64Of, sha256BytesOf } from '../../digests.js'
import { joinKey } from '../../keys.js'
import { receiptOf } from '../../limiter/receipt.js'
import { isPolicy } from '../../policy.js'
import { firmWaitOf } from '../../limiter/waits.js'

/**
 * The style of the rate limit headers. `draft` is draft-ietf-httpapi-ratelimit-headers-10, `draft-7` and `draft-6` are earlier revisions of it. `legacy`
 * and `legacy-epoch` write `X-RateLimit-*`, with the reset in seconds from now or as a date in seconds since 1970.
 */
export type HeaderStyle = 'draft' | 'draft-7' | 'draft-6' | 'legacy' | 'legacy-epoch' | 'none'

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

/**
 * The fields of draft-ietf-httpapi-ratelimit-headers-10, with one item for each policy that applies to the request. A policy that the key leaves out is in
 * neither field.
 *
 * @param keyOf returns the partition key of a policy. Without it, the fields contain none
 */
function draftFields(
  items: PolicyItems,
  _policies: Policies,
  { policies }: Decision,
  _key?: Keys,
  keyOf?: (policy: string) => string,
): readonly HeaderField[] {
  let quotas = ''
  let limits = ''
  for (const name in policies) {
    const policy = items.get(name)
    if (policy === undefined) continue
    const { remaining, nextMs } = policies[name]
    // For a full quota, `t=0` would announce more quota now. The draft allows responses without `t`.
    const reset = nextMs === 0 || !policy.isTimed ? '' : `;t=${seconds(nextMs)}`
    const partition = keyOf === undefined ? '' : `;pk=:${keyOf(name)}:`
    const comma = limits === '' ? '' : ', '
    quotas += `${comma}${policy.quotaItem}${partition}`
    limits += `${comma}${policy.remainingItem}${structuredInteger(remaining)}${reset}${partition}`
  }
  if (limits === '') return noFields
  return [
    ['RateLimit-Policy', quotas],
    ['RateLimit', limits],
  ]
}

/** The bytes of the hash that are used: base64 writes 12 bytes without padding, and 96 bits avoid collisions. */
const keyBytes = 12

/**
 * Makes the function that returns the partition key of a policy in base64: the first bytes of the SHA-256 of the limiter's name and the key. It
 * distinguishes the quotas of a client without revealing the key.
 */
function partitionKeyOf(limiter: string, key: Keys): (policy: string) => string {
  return (policy) => {
    const own = isKey(key) ? key : key[policy]
    const hash = sha256BytesOf(JSON.stringify([limiter, joinKey(own)]))
    return base64Of(hash.subarray(0, keyBytes))
  }
}

/** RFC 9110, section 10.2.3. */
export function retryAfter(policies: Policies, decision: Decision): HeaderField {
  return ['Retry-After', `${retryAfterSeconds(policies, decision)}`]
}

/**
 * The whole seconds after which a denied client may retry: until the cost fits, or until the quota is full if the cost can never fit. The result is at
 * least 1, because 0 would ask the client to retry immediately. It is not shorter than the `t` of a policy that denies, as the draft requires: a
 * request of cost 0 can fit before a whole unit does. Leases are ignored, because they may be released at any time.
 */
export function retryAfterSeconds(policies: Policies, decision: Decision): number {
  const wait = seconds(waitMs(policies, decision))
  const resets = decision.deniedBy
    .filter((name) => !isLeased(policies, name))
    .map((name) => seconds(decision.policies[name].nextMs))
  return Math.max(1, wait, ...resets)
}

function waitMs(policies: Policies, decision: Decision): number {
  if (decision.retryAfterMs === null) return decision.resetMs
  // A request that was denied because other requests wait for the same key has no receipt.
  if (receiptOf(decision) === undefined) {
    return decision.deniedBy.every((name) => isLeased(policies, name)) ? 0 : decision.retryAfterMs
  }
  return firmWaitOf(decision) ?? decision.resetMs
}

function isLeased(policies: Policies, name: string): boolean {
  return grantsLeases(isPolicy(policies) ? policies : policies[name])
}
