import { grantsLeases } from '../../algorithms/kind.js'
import type { Clock } from '../../clock.js'
import { base64Of, sha256BytesOf } from '../../digests.js'
import { joinKey } from '../../keys.js'
import { isKey, type Keys } from '../../limiter/arguments.js'
import type { Policies } from '../../limiter/limiter-policies.js'
import type { Decision, Verdict } from '../../limiter/decision.js'
import { receiptOf } from '../../limiter/receipt.js'
import { firmWaitOf } from '../../limiter/waits.js'
import { isPolicy } from '../../policy.js'
import { noFields, seconds, structuredInteger, type HeaderField } from './fields.js'
import type { Counted } from './limit-result.js'
import type { PolicyItems } from './policy-items.js'

/**
 * The style of the rate limit headers. `draft` is draft-ietf-httpapi-ratelimit-headers-10, `draft-7` and `draft-6` are earlier revisions of it. `legacy`
 * and `legacy-epoch` write `X-RateLimit-*`, with the reset in seconds from now or as a date in seconds since 1970.
 */
export type HeaderStyle = 'draft' | 'draft-7' | 'draft-6' | 'legacy' | 'legacy-epoch' | 'none'

type OlderStyle = Exclude<HeaderStyle, 'draft' | 'none'>

export type FieldWriter = (items: PolicyItems, counted: Counted) => readonly HeaderField[]

export interface FieldOptions {
  readonly headers?: HeaderStyle | readonly HeaderStyle[] | undefined
  readonly dryRun?: boolean | undefined
  readonly partitionKey?: boolean | undefined
  readonly clock?: Clock | undefined
}

/** Makes the function that writes a decision as header fields, in one style or in several. */
export function fieldWriter(
  limiter: string,
  { dryRun, headers = dryRun ? 'none' : 'draft', partitionKey, clock = Date.now }: FieldOptions,
): FieldWriter {
  const writers = [headers].flat().map((style: HeaderStyle): FieldWriter => {
    if (style === 'none') return () => noFields
    if (style === 'draft') return draftWriter(partitionKey === true ? limiter : undefined)
    return (items, counted) => olderFields(older[style], items, counted, clock)
  })
  if (writers.length === 1) return writers[0]
  // A map removes duplicates: draft-7 and draft-6 write the same RateLimit-Policy.
  return (...about) => [...new Map(writers.flatMap((write) => write(...about)))]
}

/**
 * Writes one item for each policy that applies to the request. A policy that the key leaves out is in neither field.
 *
 * @param limiter its name, if the items contain `pk`
 */
function draftWriter(limiter: string | undefined): FieldWriter {
  return function draftFields(items, { decision: { policies }, keys }) {
    let quotas = ''
    let limits = ''
    for (const name in policies) {
      const policy = items.get(name)
      if (policy === undefined) continue
      const { remaining, nextMs } = policies[name]
      // For a full quota, `t=0` would announce more quota now. The draft allows responses without `t`.
      const reset = nextMs === 0 || !policy.isTimed ? '' : `;t=${seconds(nextMs)}`
      const partition = limiter === undefined ? '' : partitionOf(limiter, keys, name)
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
}

/**
 * The parameter `pk` of a policy: the first 12 bytes of the SHA-256 of the limiter's name and the key in base64, which has no padding then. It distinguishes the
 * quotas of a client without revealing the key.
 */
function partitionOf(limiter: string, keys: Keys, policy: string): string {
  const own = isKey(keys) ? keys : keys[policy]
  const hash = sha256BytesOf(JSON.stringify([limiter, joinKey(own)]))
  return `;pk=:${base64Of(hash.subarray(0, 12))}:`
}

/** The value of a field of an older style, for the policy with the least remaining. Empty if the field is left out. */
type Value = (tightest: Verdict, about: About) => string | number

interface About {
  readonly items: PolicyItems
  readonly counted: Counted
  readonly clock: Clock
}

const limit: Value = (tightest) => structuredInteger(tightest.limit)
const remaining: Value = (tightest) => structuredInteger(tightest.remaining)
const full: Value = ({ resetMs }) => seconds(resetMs)
const fullAt: Value = ({ resetMs }, { clock }) => seconds(clock() + resetMs)

/** In a denial, draft-6 and draft-7 require the number of `Retry-After`. */
const reset: Value = ({ resetMs }, { counted }) =>
  counted.decision.allowed ? seconds(resetMs) : retryAfterSeconds(counted)

/** They require a window and forbid two policies with the same quota. Of two such policies, the one with the longer window is stricter and is written. */
const quotas: Value = (_tightest, { items, counted }) => {
  const windows = new Map<number, number>()
  for (const name in counted.decision.policies) {
    const { quota = 0, window } = items.get(name) ?? {}
    if (window !== undefined) windows.set(quota, Math.max(window, windows.get(quota) ?? 0))
  }
  return Array.from(windows, ([quota, window]) => `${quota};w=${window}`).join(', ')
}

const older: Readonly<Record<OlderStyle, readonly (readonly [name: string, value: Value])[]>> = {
  'draft-7': [
    ['RateLimit-Policy', quotas],
    [
      'RateLimit',
      (...of) => `limit=${limit(...of)}, remaining=${remaining(...of)}, reset=${reset(...of)}`,
    ],
  ],
  'draft-6': [
    ['RateLimit-Policy', quotas],
    ['RateLimit-Limit', limit],
    ['RateLimit-Remaining', remaining],
    ['RateLimit-Reset', reset],
  ],
  legacy: [
    ['X-RateLimit-Limit', limit],
    ['X-RateLimit-Remaining', remaining],
    ['X-RateLimit-Reset', full],
  ],
  'legacy-epoch': [
    ['X-RateLimit-Limit', limit],
    ['X-RateLimit-Remaining', remaining],
    ['X-RateLimit-Reset', fullAt],
  ],
}

function olderFields(
  style: (typeof older)[OlderStyle],
  items: PolicyItems,
  counted: Counted,
  clock: Clock,
): readonly HeaderField[] {
  const { remaining, policies } = counted.decision
  const tightest = Object.values(policies).find((verdict) => verdict.remaining === remaining)
  if (tightest === undefined || tightest.limit === Infinity) return noFields
  const about = { items, counted, clock }
  return style
    .map(([name, value]): HeaderField => [name, `${value(tightest, about)}`])
    .filter(([, value]) => value !== '')
}

/**
 * `Retry-After` (RFC 9110, section 10.2.3): the whole seconds after which a denied client may retry: until the cost fits, or until the quota is full if the cost can never fit. The result is at
 * least 1, because 0 would ask the client to retry immediately. It is not shorter than the `t` of a policy that denies, as the draft requires: a
 * request of cost 0 can fit before a whole unit does. Leases are ignored, because they may be released at any time.
 */
export function retryAfterSeconds({ policies, decision }: Counted): number {
  const resets = decision.deniedBy
    .filter((name) => !isLeased(policies, name))
    .map((name) => seconds(decision.policies[name].nextMs))
  return Math.max(1, seconds(waitMs(policies, decision)), ...resets)
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
