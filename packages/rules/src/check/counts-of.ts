import type { Policy } from '@sluice/core'
import { byName } from '@sluice/core/internal'
import { rulesOf, type RuleSet } from '../compile/rule-set.js'
import type { CompiledRule, Limit } from '../compile/rule.js'
import type { KeyReader } from '../compile/limits/keys.js'

/** A limit of a count. */
export interface CountLimit {
  readonly policy: Policy
  /** The reason for its choice: `plan pro`, or `rule login` if rules with different limits share the count. Undefined if there is no choice. */
  readonly reason: string | undefined
}

/** A count of a rule set. */
export interface RuleCount {
  /** The name of its policies, in the counts of the limiter. */
  readonly name: string
  /** The ids of the rules that use it. */
  readonly rules: readonly string[]
  /** The limits among which its rules choose, without overrides. */
  readonly limits: readonly CountLimit[]
  /** Whether a rule has overrides, or a limit that the application passes, so that a key can have another limit. */
  readonly hasOverrides: boolean
  /** Whether a rule can count a request under a key of these parts. */
  fits(parts: readonly string[]): boolean
}

/**
 * The counts of a rule set, for a tool that reads or changes the counts of a key. A disabled rule has none.
 *
 * @example
 * const rules = await compileRules(parseRules(await readRulesFile('rules.yaml')))
 * const ofUser = countsOf(rules).filter((count) => count.fits(['user', '42']))
 */
export function countsOf(set: RuleSet): readonly RuleCount[] {
  const users = rulesOf(set).flatMap((rule) => {
    const { action, enabled } = rule
    if (action.type !== 'limit' || !enabled) return []
    return action.variants.names.map((name) => [name, { rule, limit: action }] as const)
  })
  return Array.from(byName(users), ([name, users]) => ({
    name,
    rules: users.map(({ rule }) => rule.id),
    limits: limitsOf(name, users),
    hasOverrides: users.some(({ limit }) => limit.variants.overrides !== undefined),
    fits: (parts) => users.some(({ limit }) => fitsKey(limit.key, parts)),
  }))
}

interface CompiledLimit {
  readonly rule: CompiledRule
  readonly limit: Limit
}

/** Rules that share a count usually have the same limits. If they have not, the reason for a limit is its rule. */
function limitsOf(name: string, users: readonly CompiledLimit[]): readonly CountLimit[] {
  const limits = new Map<string, CountLimit & { readonly rule: string }>()
  for (const { rule, limit } of users) {
    for (const { name: own, policy, reason } of limit.variants.alternatives) {
      const id = JSON.stringify([policy, reason ?? null])
      if (own === name && !limits.has(id)) limits.set(id, { policy, reason, rule: rule.id })
    }
  }
  return Array.from(limits.values(), ({ policy, reason, rule }) => {
    const isOnly = limits.size === 1
    return { policy, reason: reason ?? (isOnly ? undefined : `rule ${rule}`) }
  })
}

/** A key has the address as one part, and any other field as two: its name and its value. */
function fitsKey({ parts: declared }: KeyReader, parts: readonly string[]): boolean {
  if (declared.length === 0) return parts.length === 1 && parts[0] === 'all'
  let position = 0
  for (const fields of declared) {
    const part = parts[position] ?? ''
    const field = fields.find(({ type, name }) =>
      type === 'address' ? part.startsWith('ip:') : part === name,
    )
    if (field === undefined) return false
    position += field.type === 'address' ? 1 : 2
  }
  return position === parts.length
}
