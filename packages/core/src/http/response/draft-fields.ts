import type { Keys, Policies } from '../../limiter/bound-policies.js'
import type { Decision } from '../../limiter/decision.js'
import { noFields, seconds, structuredInteger, type HeaderField } from './fields.js'
import type { PolicyItems } from './policy-items.js'

/**
 * The fields of draft-ietf-httpapi-ratelimit-headers-10, with one item for each policy that applies to the request. A policy that the key leaves out is in
 * neither field.
 *
 * @param keyOf returns the partition key of a policy. Without it, the fields contain none
 */
export function draftFields(
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
    quotas += `${comma}${policy.name}${policy.parameters}${partition}`
    limits += `${comma}${policy.name};r=${structuredInteger(remaining)}${reset}${partition}`
  }
  if (limits === '') return noFields
  return [
    ['RateLimit-Policy', quotas],
    ['RateLimit', limits],
  ]
}
