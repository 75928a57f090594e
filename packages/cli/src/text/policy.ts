import type { Policy } from '@sluice/core'
import { checkedPolicy } from '@sluice/core/internal'
import { durationText } from './duration.js'

/** Formats a policy as text: `gcra, limit 600, window 1m`. Options with their default value are left out. */
export function policyText(policy: Policy): string {
  const options = statedOptions(policy).map((option) => optionText(option))
  return [policy.kind, ...options].join(', ')
}

/** An option of a policy. */
export interface StatedOption {
  readonly name: string
  readonly value: unknown
  /** Whether the value is a duration in milliseconds. */
  readonly isDuration: boolean
}

/** The options of a policy that do not have their default value. The builder knows the defaults and the durations, so this holds for any kind. */
export function statedOptions(policy: Policy): readonly StatedOption[] {
  return membersOf(policy)
    .filter(([name, value]) => rebuilt(policy, name, undefined) !== value)
    .map(([name, value]) => ({
      name,
      value,
      isDuration: typeof value === 'number' && rebuilt(policy, name, `${value}ms`) === value,
    }))
}

/** The option of the policy that the builder makes of another value; undefined if it refuses that value. */
function rebuilt(policy: Policy, name: string, value: unknown): unknown {
  try {
    return Reflect.get(checkedPolicy({ ...policy, [name]: value }, policy.kind), name)
  } catch {
    return undefined
  }
}

function membersOf(holder: object): readonly (readonly [name: string, value: unknown])[] {
  return Object.entries(holder).filter(([name, value]) => name !== 'kind' && value !== undefined)
}

function optionText({ name, value, isDuration }: StatedOption): string {
  if (isDuration && typeof value === 'number') return `${name} ${durationText(value)}`
  if (isPolicy(value)) return `${name} (${policyText(value)})`
  if (typeof value === 'object' && value !== null) {
    const members = membersOf(value).map(([inner, one]) =>
      optionText({ name: inner, value: one, isDuration: ofBlock.has(inner) }),
    )
    return `${name} (${members.join(', ')})`
  }
  return `${name} ${String(value)}`
}

/** The durations of a block. */
const ofBlock = new Set(['for', 'max'])

export function isPolicy(value: unknown): value is Policy {
  return typeof value === 'object' && value !== null && 'kind' in value
}
