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
  declared: PolicyDeclaration | By<PolicyDeclaration>,
  place: Place,
  vocabulary: Vocabulary,
): Choice | undefined {
  if (!isBy(declared)) {
    const policy = buildPolicy(rule, declared, place, vocabulary)
    const only = policy && { declaration: declared, policy, reason: undefined }
    return only && { name, alternatives: [only], field: undefined, choose: () => 0 }
  }
  const { by, else: other, ...cases } = declared
  const alternatives: Alternative[] = []
  const indexes = new Map<string, number>()
  for (const [value, declaration] of Object.entries({ ...cases, else: other })) {
    if (declaration === undefined || typeof declaration === 'string') continue
    const policy = buildPolicy(rule, declaration, place.at(value), vocabulary)
    if (policy === undefined) return undefined
    indexes.set(value, alternatives.length)
    alternatives.push({ declaration, policy, reason: `${by} ${value}` })
  }
  const choice = choiceOf(by, Object.keys(cases), other !== undefined, place, vocabulary)
  if (choice === undefined) return undefined
  const { field, caseOf } = choice
  // Without "else", every value that is possible has its own alternative.
  const otherwise = indexes.get('else') ?? 0
  const choose = (request: Request): number => indexes.get(caseOf(request)) ?? otherwise
  return { name, alternatives, field, choose }
}

function isBy<T>(choice: T | By<T>): choice is By<T> {
  return typeof choice === 'object' && choice !== null && 'by' in choice
}

/** How a request chooses one of the cases: by the schedule that is active, or by a value. Undefined after a finding. */
function choiceOf(
  by: string,
  cases: readonly string[],
  hasElse: boolean,
  place: Place,
  { fields, scheduleOf }: Vocabulary,
): { readonly field: Field | undefined; caseOf(request: Request): string } | undefined {
  if (by === 'schedule') {
    const schedules = cases.map((name) => scheduleOf(name, place.at(name)))
    if (!hasElse) return place.error('SLUICE_RULES_VARIANT_MISSING', by, [])
    const active = ({ now }: Request): number =>
      schedules.findIndex((schedule) => schedule?.activeAt(now))
    return { field: undefined, caseOf: (request) => cases[active(request)] ?? 'else' }
  }
  const field = fields.isValue(by) ? fields.field(by, [], new Set()) : undefined
  if (field === undefined) {
    const known = [...fields.values, 'schedule']
    return place.at('by').unknown(by, known, 'SLUICE_RULES_FIELD_UNKNOWN', by, known)
  }
  const possible = field.type === 'boolean' ? ['true', 'false'] : field.oneOf?.map(String)
  const strange = possible && cases.find((value) => !possible.includes(value))
  if (strange !== undefined && possible !== undefined) {
    return place
      .at(strange)
      .unknown(strange, possible, 'SLUICE_RULES_OPTION_UNKNOWN', strange, possible)
  }
  const missing = possible?.filter((value) => !cases.includes(value)) ?? []
  const coversAll = possible !== undefined && field.required && missing.length === 0
  if (!hasElse && !coversAll) return place.error('SLUICE_RULES_VARIANT_MISSING', by, missing)
  return { field, caseOf: (request) => String(field.counted(request)) }
}
