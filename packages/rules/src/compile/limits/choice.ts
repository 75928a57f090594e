import type { Policy } from '@sluice/core'
import type { By, PolicyDeclaration } from '../../document/document.js'
import type { Place } from '../../document/findings.js'
import type { Field, Request } from '../../match/reading.js'
import type { Vocabulary } from '../../match/vocabulary.js'
import { buildPolicy } from './policies.js'

/** One of the policies among which a rule chooses. */
export interface Alternative {
  readonly declaration: PolicyDeclaration
  readonly policy: Policy
  /** The reason for its choice: `plan pro`. Undefined if the rule has no choice. */
  readonly reason: string | undefined
  /** The value that chooses it. */
  readonly by: string | undefined
}

/** A policy of a rule, and the choice among its alternatives. */
export interface Choice {
  readonly name: string
  readonly alternatives: readonly Alternative[]
  /** The value that chooses. */
  readonly field: Field | undefined
  choose(request: Request): number
}

/** Reads one policy of a rule, or a choice of policies. Undefined after a finding. */
export function readChoice(
  rule: string,
  name: string,
  choice: PolicyDeclaration | By<PolicyDeclaration>,
  place: Place,
  zone: string | undefined,
  vocabulary: Vocabulary,
): Choice | undefined {
  if (!isBy(choice)) {
    const policy = buildPolicy(rule, choice, place, zone, vocabulary)
    const alternatives = policy && [
      { declaration: choice, policy, reason: undefined, by: undefined },
    ]
    return alternatives && { name, alternatives, field: undefined, choose: () => 0 }
  }
  const { by, else: other, ...cases } = choice
  const alternatives: Alternative[] = []
  const indexes = new Map<string, number>()
  for (const [value, declaration] of Object.entries({ ...cases, else: other })) {
    if (declaration === undefined || typeof declaration === 'string') continue
    const policy = buildPolicy(rule, declaration, place.at(value), zone, vocabulary)
    if (policy === undefined) return undefined
    indexes.set(value, alternatives.length)
    alternatives.push({ declaration, policy, reason: `${by} ${value}`, by })
  }
  const values = Object.keys(cases)
  const elseIndex = indexes.get('else')
  if (by === 'schedule') {
    const schedules = values.map(
      (value) => [vocabulary.scheduleOf(value, place.at(value)), value] as const,
    )
    if (elseIndex === undefined) return place.error('SLUICE_RULES_VARIANT_MISSING', by, [])
    const choose = ({ now }: Request): number => {
      const [, value = 'else'] = schedules.find(([schedule]) => schedule?.activeAt(now)) ?? []
      return indexes.get(value) ?? elseIndex
    }
    return { name, alternatives, field: undefined, choose }
  }
  const { fields } = vocabulary
  const field = fields.isValue(by) ? fields.field(by, [], new Set()) : undefined
  if (field === undefined) {
    const known = [...fields.values, 'schedule']
    return place.at('by').unknown(by, known, 'SLUICE_RULES_FIELD_UNKNOWN', by, known)
  }
  if (!coversValues(field, values, elseIndex !== undefined, place)) return undefined
  // Without "else", every value that is possible has its own alternative.
  const choose = (request: Request): number =>
    indexes.get(String(field.counted(request))) ?? elseIndex ?? 0
  return { name, alternatives, field, choose }
}

function isBy<T>(choice: T | By<T>): choice is By<T> {
  return typeof choice === 'object' && choice !== null && 'by' in choice
}

/** Whether each value that is possible has an alternative. */
function coversValues(
  field: Field,
  values: readonly string[],
  hasElse: boolean,
  place: Place,
): boolean {
  const possible = field.type === 'boolean' ? ['true', 'false'] : field.oneOf?.map(String)
  const strange = possible && values.find((value) => !possible.includes(value))
  if (strange !== undefined && possible !== undefined) {
    place.at(strange).unknown(strange, possible, 'SLUICE_RULES_OPTION_UNKNOWN', strange, possible)
    return false
  }
  if (hasElse) return true
  const missing = possible?.filter((value) => !values.includes(value)) ?? []
  if (possible !== undefined && field.required && missing.length === 0) return true
  place.error('SLUICE_RULES_VARIANT_MISSING', field.name, missing)
  return false
}
