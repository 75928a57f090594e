import type { BoundPolicy } from '../../stores/store.js'
import { seconds } from './seconds.js'
import { structuredInteger, structuredString } from './structured-fields.js'

/** The policies that have a number, by their names. A policy without one, such as `unlimited`, stands in no header. */
export type PolicyItems = ReadonlyMap<string, PolicyItem>

/** The part of a policy that is the same in every response. */
export interface PolicyItem {
  /** The policy's name, as a structured string. */
  readonly name: string
  /** Its item in the `RateLimit-Policy` of the current draft. */
  readonly item: string
  readonly quota: number
  /** Whole seconds, rounded up; undefined for `concurrency` and for a window below a second. */
  readonly window: number | undefined
  /** Whether units come back at a time that is known: units of `concurrency` come back at any moment. */
  readonly isTimed: boolean
}

export function policyItems(entries: readonly BoundPolicy[]): PolicyItems {
  const numbered = entries.filter(({ steps, params }) => steps.quota(params) !== Infinity)
  return new Map(numbered.map((entry) => [entry.name, policyItem(entry)]))
}

function policyItem({ name, kind, steps, params }: BoundPolicy): PolicyItem {
  const isTimed = kind !== 'concurrency'
  const windowMs = steps.windowMs(params)
  // The field has no fractions and no 0, so a window below a second is left out. Others are rounded up: a client that spreads its quota
  // over `w` is then never too fast.
  const window = isTimed && windowMs >= 1000 ? seconds(windowMs) : undefined
  const quota = structuredInteger(steps.quota(params))
  const text = structuredString(name)
  // The default unit is "requests".
  const unit = isTimed ? '' : ';qu="concurrent-requests"'
  const item = `${text};q=${quota}${window === undefined ? '' : `;w=${window}`}${unit}`
  return { name: text, item, quota, window, isTimed }
}
