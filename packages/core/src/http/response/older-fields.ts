import type { Decision, Verdict } from '../../limiter/decision.js'
import { noFields, seconds, structuredInteger, type HeaderField } from './fields.js'
import type { PolicyItems } from './policy-items.js'

// These styles describe one policy: the one with the least remaining. The reset is the time when its quota is full.

/** `X-RateLimit-*`, with the reset in seconds from now. */
export function legacyFields(decision: Decision): readonly HeaderField[] {
  return tripleOf('X-RateLimit', decision, ({ resetMs }) => seconds(resetMs))
}

/** `X-RateLimit-*`, with the reset as a date in seconds since 1970. */
export function epochFields(decision: Decision, now: number): readonly HeaderField[] {
  return tripleOf('X-RateLimit', decision, ({ resetMs }) => seconds(now + resetMs))
}

/**
 * draft-ietf-httpapi-ratelimit-headers-06.
 *
 * @param retryAfter returns the seconds of `Retry-After`; draft-6 and draft-7 require the same reset in a denial
 */
export function draft6Fields(
  items: PolicyItems,
  decision: Decision,
  retryAfter: () => number,
): readonly HeaderField[] {
  const limits = tripleOf('RateLimit', decision, resetBy(decision, retryAfter))
  return [...quotaField(items, decision), ...limits]
}

/** draft-ietf-httpapi-ratelimit-headers-07: like draft-06, but with the three numbers in one field. */
export function draft7Fields(
  items: PolicyItems,
  decision: Decision,
  retryAfter: () => number,
): readonly HeaderField[] {
  const tightest = tightestOf(decision)
  if (tightest === undefined) return noFields
  const { limit, remaining } = numbersOf(tightest)
  const reset = resetBy(decision, retryAfter)(tightest)
  return [
    ...quotaField(items, decision),
    ['RateLimit', `limit=${limit}, remaining=${remaining}, reset=${reset}`],
  ]
}

function tripleOf(
  prefix: string,
  decision: Decision,
  resetOf: (tightest: Verdict) => number,
): readonly HeaderField[] {
  const tightest = tightestOf(decision)
  if (tightest === undefined) return noFields
  const { limit, remaining } = numbersOf(tightest)
  return [
    [`${prefix}-Limit`, `${limit}`],
    [`${prefix}-Remaining`, `${remaining}`],
    [`${prefix}-Reset`, `${resetOf(tightest)}`],
  ]
}

function tightestOf({ remaining, policies }: Decision): Verdict | undefined {
  const tightest = Object.values(policies).find((verdict) => verdict.remaining === remaining)
  return tightest?.limit === Infinity ? undefined : tightest
}

function numbersOf({ limit, remaining }: Verdict): { limit: number; remaining: number } {
  return { limit: structuredInteger(limit), remaining: structuredInteger(remaining) }
}

function resetBy({ allowed }: Decision, retryAfter: () => number): (tightest: Verdict) => number {
  return ({ resetMs }) => (allowed ? seconds(resetMs) : retryAfter())
}

/**
 * `RateLimit-Policy` of draft-6 and draft-7, which require a window and forbid two policies with the same quota. Of two such policies, the one with the
 * longer window is stricter and is written.
 */
function quotaField(items: PolicyItems, { policies }: Decision): readonly HeaderField[] {
  const windows = new Map<number, number>()
  for (const name in policies) {
    const { quota = 0, window } = items.get(name) ?? {}
    if (window !== undefined) windows.set(quota, Math.max(window, windows.get(quota) ?? 0))
  }
  if (windows.size === 0) return noFields
  const quotas = [...windows].map(([quota, window]) => `${quota};w=${window}`)
  return [['RateLimit-Policy', quotas.join(', ')]]
}
