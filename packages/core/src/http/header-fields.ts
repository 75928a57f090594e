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

  function draft(policies: Policies, decision: Decision): readonly HeaderField[] {
    let items = known.get(policies)
    if (items === undefined) {
      items = policyItems(entriesOf(limiter, policies))
      known.set(policies, items)
    }
    return draftFields(items, decision)
  }

  function legacy(_policies: Policies, decision: Decision): readonly HeaderField[] {
    return legacyFields(decision)
  }

  function both(policies: Policies, decision: Decision): readonly HeaderField[] {
    return [...draft(policies, decision), ...legacy(policies, decision)]
  }

  return { draft, legacy, both, none: () => none }[style]
}

/** What never changes for a set of policies. A policy without a number, such as `unlimited`, has no item. */
interface PolicyItems {
  readonly items: ReadonlyMap<string, PolicyItem>
  /** All of them as one field. */
  readonly field: HeaderField
}

interface PolicyItem {
  /** The policy's name, as a structured string. */
  readonly name: string
  readonly item: string
}

function policyItems(entries: readonly Entry[]): PolicyItems {
  const numbered = entries.filter(({ steps, params }) => steps.quota(params) !== Infinity)
  const items = new Map(numbered.map((entry) => [entry.name, policyItem(entry)]))
  return { items, field: policyField([...items.values()]) }
}

function policyItem({ name, kind, steps, params }: Entry): PolicyItem {
  const windowMs = steps.windowMs(params)
  // The field has no fractions and no 0, so a window below a second has no place in it. Others are rounded up: a client that
  // spreads its quota over `w` is then never too fast.
  const window = windowMs < 1000 ? '' : `;w=${seconds(windowMs)}`
  // Requests are what is counted unless a unit says otherwise, and a lease gives its units back by no clock.
  const rate = kind === 'concurrency' ? ';qu="concurrent-requests"' : window
  const text = structuredString(name)
  return { name: text, item: `${text};q=${structuredInteger(steps.quota(params))}${rate}` }
}

function policyField(items: readonly PolicyItem[]): HeaderField {
  return ['RateLimit-Policy', items.map(({ item }) => item).join(', ')]
}

function draftFields(
  { items, field }: PolicyItems,
  { policies }: Decision,
): readonly HeaderField[] {
  let asked = 0
  let limits = ''
  for (const name in policies) {
    const item = items.get(name)
    if (item === undefined) continue
    asked++
    const { remaining, nextMs } = policies[name]
    // A full quota waits for nothing, and `t=0` would say that more of it comes at once: left out, as the draft allows.
    const reset = nextMs === 0 ? '' : `;t=${seconds(nextMs)}`
    if (limits !== '') limits += ', '
    limits += `${item.name};r=${structuredInteger(remaining)}${reset}`
  }
  if (asked === 0) return none
  return [asked === items.size ? field : fieldOfAsked(items, policies), ['RateLimit', limits]]
}

/** A policy that the key leaves out does not apply to this request, and stands in neither field. */
function fieldOfAsked(
  items: PolicyItems['items'],
  policies: Readonly<Record<string, unknown>>,
): HeaderField {
  const asked = [...items].filter(([name]) => Object.hasOwn(policies, name))
  return policyField(asked.map(([, item]) => item))
}

/** These fields have room for one policy: all three speak of the one that has least remaining. */
function legacyFields({ remaining, policies }: Decision): readonly HeaderField[] {
  const tightest = Object.values(policies).find((verdict) => verdict.remaining === remaining)
  if (tightest === undefined || tightest.limit === Infinity) return none
  return [
    ['X-RateLimit-Limit', `${tightest.limit}`],
    ['X-RateLimit-Remaining', `${tightest.remaining}`],
    ['X-RateLimit-Reset', `${seconds(tightest.resetMs)}`],
  ]
}

const none: readonly HeaderField[] = []

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
