import type { Decision } from '../decision.js'
import { entriesOf, type Policies } from '../entries.js'
import type { Entry } from '../stores/store.js'

export type HeaderField = readonly [name: string, value: string]

export type HeaderStyle = 'draft' | 'legacy' | 'both' | 'none'

/** Says a decision in header fields. */
export type FieldWriter = (policies: Policies, decision: Decision) => readonly HeaderField[]

/**
 * Makes the fields that tell a client where it stands: those of draft-ietf-httpapi-ratelimit-headers-10, the older X-RateLimit
 * ones, both, or none.
 */
export function fieldWriter(style: HeaderStyle, limiter: string): FieldWriter {
  const known = new WeakMap<Policies, PolicyItems>()

  function itemsFor(policies: Policies): PolicyItems {
    let items = known.get(policies)
    if (items === undefined) {
      items = policyItems(entriesOf(limiter, policies))
      known.set(policies, items)
    }
    return items
  }

  return (policies, decision) => [
    ...(style === 'draft' || style === 'both' ? draftFields(itemsFor(policies), decision) : []),
    ...(style === 'legacy' || style === 'both' ? legacyFields(decision) : []),
  ]
}

/**
 * What never changes for a set of policies: each one's name as a structured string, its item, and all items as one list. A policy
 * without a number, such as `unlimited`, has none.
 */
interface PolicyItems {
  readonly names: ReadonlyMap<string, string>
  readonly items: ReadonlyMap<string, string>
  readonly list: string
}

function policyItems(entries: readonly Entry[]): PolicyItems {
  const numbered = entries.filter(({ steps, params }) => steps.quota(params) !== Infinity)
  const names = new Map(numbered.map(({ name }) => [name, structuredString(name)]))
  const items = new Map(numbered.map((entry) => [entry.name, policyItem(entry)]))
  return { names, items, list: [...items.values()].join(', ') }
}

function policyItem({ name, kind, steps, params }: Entry): string {
  const windowMs = steps.windowMs(params)
  // The field has no fractions and no 0, so a window below a second has no place in it. Others are rounded up: a client that
  // spreads its quota over `w` is then never too fast.
  const window = windowMs < 1000 ? '' : `;w=${seconds(windowMs)}`
  // Requests are what is counted unless a unit says otherwise, and a lease gives its units back by no clock.
  const rate = kind === 'concurrency' ? ';qu="concurrent-requests"' : window
  return `${structuredString(name)};q=${structuredInteger(steps.quota(params))}${rate}`
}

function draftFields({ names, items, list }: PolicyItems, decision: Decision): HeaderField[] {
  const verdicts = Object.entries(decision.policies).filter(([name]) => items.has(name))
  if (verdicts.length === 0) return []
  // A policy that the key leaves out does not apply to this request, and stands in neither field.
  const policies =
    verdicts.length === items.size ? list : verdicts.map(([name]) => items.get(name)).join(', ')
  const limits = verdicts.map(([name, { remaining, nextMs }]) => {
    // A full quota waits for nothing, and `t=0` would say that more of it comes at once: left out, as the draft allows.
    const reset = nextMs === 0 ? '' : `;t=${seconds(nextMs)}`
    return `${names.get(name)};r=${structuredInteger(remaining)}${reset}`
  })
  return [
    ['RateLimit-Policy', policies],
    ['RateLimit', limits.join(', ')],
  ]
}

/** These fields have room for one policy: all three speak of the one that has least remaining. */
function legacyFields({ remaining, policies }: Decision): HeaderField[] {
  const tightest = Object.values(policies).find((verdict) => verdict.remaining === remaining)
  if (tightest === undefined || tightest.limit === Infinity) return []
  return [
    ['X-RateLimit-Limit', `${tightest.limit}`],
    ['X-RateLimit-Remaining', `${tightest.remaining}`],
    ['X-RateLimit-Reset', `${seconds(tightest.resetMs)}`],
  ]
}

/** Whole seconds, rounded up: who waits so long has waited long enough. */
export function seconds(milliseconds: number): number {
  return Math.ceil(milliseconds / 1000)
}

// RFC 9651, section 3.3.1: an integer has 15 digits at most, a quota may have 16.
function structuredInteger(value: number): number {
  return Math.min(value, 999_999_999_999_999)
}

// RFC 9651, section 3.3.3: a string holds printable ASCII only. The rest goes by percent, in UTF-8, and so does the percent sign
// itself, so that decodeURIComponent gives back every name and no two names look the same.
function structuredString(name: string): string {
  const ascii = name.replace(/[^ -$&-~]+/g, percentEncoded)
  return `"${ascii.replace(/["\\]/g, '\\$&')}"`
}

function percentEncoded(text: string): string {
  return Array.from(
    new TextEncoder().encode(text),
    (byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`,
  ).join('')
}
