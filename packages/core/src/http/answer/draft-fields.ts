import type { Decision } from '../../limiter/decision.js'
import type { HeaderField } from './joined-fields.js'
import type { PolicyItems } from './policy-items.js'
import { seconds } from './seconds.js'
import { structuredInteger } from './structured-fields.js'

/**
 * The fields of draft-ietf-httpapi-ratelimit-headers-10: one item for each policy that was asked. A policy that the key leaves out does not
 * apply to the request and stands in neither field.
 *
 * @param keyOf the partition key of a policy; undefined: the fields have none
 */
export function draftFields(
  items: PolicyItems,
  { policies }: Decision,
  keyOf: ((policy: string) => string) | undefined,
): readonly HeaderField[] {
  let quotas = ''
  let limits = ''
  for (const name in policies) {
    const policy = items.get(name)
    if (policy === undefined) continue
    const { remaining, nextMs } = policies[name]
    // A full quota waits for nothing, and `t=0` would say that more of it comes at once: left out, as the draft allows.
    const reset = nextMs === 0 || !policy.isTimed ? '' : `;t=${seconds(nextMs)}`
    const partition = keyOf === undefined ? '' : `;pk=:${keyOf(name)}:`
    const comma = limits === '' ? '' : ', '
    quotas += `${comma}${policy.item}${partition}`
    limits += `${comma}${policy.name};r=${structuredInteger(remaining)}${reset}${partition}`
  }
  if (limits === '') return none
  return [
    ['RateLimit-Policy', quotas],
    ['RateLimit', limits],
  ]
}

const none: readonly HeaderField[] = []
