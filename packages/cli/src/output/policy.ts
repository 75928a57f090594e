import type { Policy } from '@sluice/core'
import { durationText } from './duration.js'

/** Formats a policy as text: `gcra, limit 600, window 1m`. Options with their default value are left out. */
export function policyText(policy: Policy): string {
  const members = membersOf(policy).filter((member) => !isUsual(member, policy))
  return [policy.kind, ...members.map(([name, value]) => memberText(name, value))].join(', ')
}

type Member = readonly [string, unknown]

function membersOf(holder: object): readonly Member[] {
  return Object.entries(holder).filter(([name, value]) => name !== 'kind' && value !== undefined)
}

function isUsual([name, value]: Member, { kind, ...rest }: Policy): boolean {
  const own = new Map<string, unknown>(membersOf(rest))
  if (kind === 'gcra' && name === 'burst') return value === own.get('limit')
  if (name === 'initial') return value === own.get('capacity')
  return usual.has(name) && usual.get(name) === value
}

const usual = new Map<string, unknown>([
  ['buckets', 1],
  ['tail', 'spread'],
  ['align', 'first'],
  ['offset', 0],
  ['weekStartsOn', 'monday'],
])

const durations = new Set(['window', 'every', 'lease', 'maxDelay', 'offset', 'for', 'max'])

function memberText(name: string, value: unknown): string {
  if (typeof value === 'number') {
    return `${name} ${durations.has(name) ? durationText(value) : value}`
  }
  if (isPolicy(value)) return `${name} (${policyText(value)})`
  if (typeof value === 'object' && value !== null) {
    return `${name} (${membersOf(value)
      .map(([inner, one]) => memberText(inner, one))
      .join(', ')})`
  }
  return `${name} ${String(value)}`
}

export function isPolicy(value: unknown): value is Policy {
  return typeof value === 'object' && value !== null && 'kind' in value
}
