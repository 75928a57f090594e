import type { RulesDocument } from '@sluice/rules'
import type { LogTraits } from '../log/detect.js'
import type { Table } from './facts.js'

type RuleDeclaration = RulesDocument['rules'][number]

/** A field that a rule needs and the log does not have. */
export interface MissingField {
  readonly rule: string
  readonly field: string
}

/** The fields that rules need and the log does not have. */
export function missingFields(
  document: RulesDocument,
  { has }: Pick<LogTraits, 'has'>,
  table: Table | undefined,
): readonly MissingField[] {
  const declared = new Set(Object.keys(document.values ?? {}))
  const isThere = (field: string): boolean => {
    if (declared.has(field)) {
      if (table?.columns.has(field) === true) return true
      return has(field === 'user' ? 'user' : `field.${field}`)
    }
    const [kind] = field.split('.')
    switch (kind) {
      case 'ip':
      case 'host':
        return has(field)
      case 'header':
        return has(field.toLowerCase())
      case 'route':
      case 'cookie':
        return false
      default:
        return true
    }
  }
  return document.rules
    .filter(isEnabled)
    .flatMap((rule) =>
      [...fieldsOf(rule, declared)]
        .filter((field) => !isThere(field))
        .map((field) => ({ rule: rule.id, field })),
    )
}

export function isEnabled({ enabled }: RuleDeclaration): boolean {
  return enabled !== false
}

function fieldsOf(
  { when, then, key = 'ip', limit, policy, policies = {}, cost, overrides }: RuleDeclaration,
  declared: ReadonlySet<string>,
): ReadonlySet<string> {
  const fields = new Set<string>()
  ofCondition(when, fields)
  if (then === undefined) ofKey(key, fields)
  for (const choice of [limit, policy, ...Object.values(policies)]) {
    // The other choice is that of a schedule.
    if (isBy(choice) && declared.has(choice.by)) fields.add(choice.by)
  }
  for (const value of [limit, cost]) if (typeof value === 'string') fields.add(value.slice(1))
  if (overrides !== undefined) fields.add(overrides.of)
  return fields
}

function isBy(choice: unknown): choice is { readonly by: string } {
  return typeof choice === 'object' && choice !== null && 'by' in choice
}

const junctions = new Set(['any', 'all', 'not'])

function ofCondition(condition: unknown, fields: Set<string>): void {
  if (Array.isArray(condition)) {
    for (const part of condition) ofCondition(part, fields)
    return
  }
  if (typeof condition !== 'object' || condition === null) return
  for (const [name, value] of Object.entries(condition)) {
    if (junctions.has(name)) ofCondition(value, fields)
    else fields.add(name)
  }
}

function ofKey(key: unknown, fields: Set<string>): void {
  if (typeof key === 'string') fields.add(key)
  else if (Array.isArray(key)) for (const part of key) ofKey(part, fields)
  else if (typeof key === 'object' && key !== null) {
    // One of several fields is enough. A request can lack all but the last.
    const choices: unknown = Object.values(key)[0]
    if (Array.isArray(choices)) ofKey(choices.at(-1), fields)
  }
}
