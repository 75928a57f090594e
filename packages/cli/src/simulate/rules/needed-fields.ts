import type { RulesDocument } from '@sluice/rules'
import type { Detected } from '../cut/detect.js'
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
  { cutter }: Detected,
  table: Table | undefined,
): readonly MissingField[] {
  const declared = new Set(Object.keys(document.values ?? {}))
  const isThere = (field: string): boolean => {
    if (declared.has(field)) {
      if (table?.columns.has(field) === true) return true
      return cutter.has(field === 'user' ? 'user' : `field.${field}`)
    }
    const [kind] = field.split('.')
    switch (kind) {
      case 'ip':
      case 'host':
      case 'header':
        return cutter.has(field)
      case 'route':
      case 'cookie':
        return false
      default:
        return true
    }
  }
  return document.rules.flatMap((rule) =>
    [...fieldsOf(rule, declared)]
      .filter((field) => !isThere(field))
      .map((field) => ({ rule: rule.id, field })),
  )
}

function fieldsOf(rule: RuleDeclaration, declared: ReadonlySet<string>): ReadonlySet<string> {
  const fields = new Set<string>()
  const { when, key, ...others }: Readonly<Record<string, unknown>> = { ...rule }
  ofCondition(when, fields)
  ofKey(key, fields)
  ofVariants(others, declared, fields)
  return fields
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

/** `by: plan`, `of: user` and `cost: $points`. */
function ofVariants(part: unknown, declared: ReadonlySet<string>, fields: Set<string>): void {
  if (typeof part !== 'object' || part === null) return
  for (const [name, value] of Object.entries(part)) {
    if (typeof value !== 'string') ofVariants(value, declared, fields)
    else if (['by', 'of'].includes(name) && declared.has(value)) fields.add(value)
    else if (name === 'cost' && declared.has(value.slice(1))) fields.add(value.slice(1))
  }
}
