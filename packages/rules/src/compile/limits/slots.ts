import type { Policy } from '@sluice/core'
import type { By, PolicyDeclaration } from '../../document/document.js'
import type { Path } from '../../document/syntax.js'
import type { Field, RequestContext } from '../../match/context.js'
import type { Schedule } from '../../match/schedule.js'
import { noPath } from '../../match/paths/path-match.js'
import type { Vocabulary } from '../../match/vocabulary.js'
import { buildPolicy, isBy, type DeclaredPolicy } from './policies.js'

/** One alternative of a choice. */
export interface Alternative {
  readonly declaration: PolicyDeclaration
  readonly policy: Policy
  readonly reason: string | undefined
  /** The value that chooses it. Undefined if the rule has no choice. */
  readonly by: string | undefined
}

/** A policy of the rule, and the choice among its alternatives. */
export interface Slot {
  readonly name: string
  readonly alternatives: readonly Alternative[]
  choose(context: RequestContext): number
}

/** Reads one policy of a rule, or a choice of policies. Undefined after a finding. */
export function readSlot(
  rule: string,
  name: string,
  { choice, path }: DeclaredPolicy,
  zone: string | undefined,
  vocabulary: Vocabulary,
): Slot | undefined {
  if (isBy(choice)) return readChoice(rule, name, choice, zone, path, vocabulary)
  const policy = buildPolicy(rule, choice, path, zone, vocabulary)
  if (policy === undefined) return undefined
  return {
    name,
    alternatives: [{ declaration: choice, policy, reason: undefined, by: undefined }],
    choose: () => 0,
  }
}

function readChoice(
  rule: string,
  name: string,
  choice: By<PolicyDeclaration>,
  zone: string | undefined,
  path: Path,
  vocabulary: Vocabulary,
): Slot | undefined {
  const { findings, fields } = vocabulary
  const { by, else: otherwise, ...named } = choice
  const alternatives: Alternative[] = []
  const indexes = new Map<string, number>()
  for (const [value, declaration] of Object.entries({ ...named, else: otherwise })) {
    if (declaration === undefined || typeof declaration === 'string') continue
    const policy = buildPolicy(rule, declaration, [...path, value], zone, vocabulary)
    if (policy === undefined) return undefined
    indexes.set(value, alternatives.length)
    alternatives.push({
      declaration,
      policy,
      reason: `${by} ${value}`,
      by,
    })
  }
  const values = Object.keys(named)
  const elseIndex = indexes.get('else')
  if (by === 'schedule') {
    const schedules = values.map((value) => vocabulary.scheduleOf(value, [...path, value]))
    if (elseIndex === undefined) {
      findings.error(path, 'SLUICE_RULES_VARIANT_MISSING', by, [])
      return undefined
    }
    return { name, alternatives, choose: ({ now }) => activeIndex(schedules, now) ?? elseIndex }
  }
  const field = fields.isValue(by) ? fields.field(by, noPath) : undefined
  if (field === undefined) {
    const known = [...fields.values, 'schedule']
    findings.unknown([...path, 'by'], by, known, 'SLUICE_RULES_FIELD_UNKNOWN', by, known)
    return undefined
  }
  if (!coversValues(field, values, elseIndex !== undefined, path, vocabulary)) return undefined
  return {
    name,
    alternatives,
    choose(context) {
      const index = indexes.get(String(context.read(field)))
      // Without "else", every value that is possible has its own alternative.
      return index ?? elseIndex ?? 0
    },
  }
}

function activeIndex(
  schedules: readonly (Schedule | undefined)[],
  now: number,
): number | undefined {
  const index = schedules.findIndex((schedule) => schedule?.activeAt(now))
  return index === -1 ? undefined : index
}

/** Whether each value that is possible has an alternative. */
function coversValues(
  field: Field,
  values: readonly string[],
  hasElse: boolean,
  path: Path,
  { findings }: Vocabulary,
): boolean {
  const possible = field.type === 'boolean' ? ['true', 'false'] : field.oneOf?.map(String)
  const strange =
    possible === undefined ? undefined : values.find((value) => !possible.includes(value))
  if (strange !== undefined && possible !== undefined) {
    findings.unknown(
      [...path, strange],
      strange,
      possible,
      'SLUICE_RULES_OPTION_UNKNOWN',
      strange,
      possible,
    )
    return false
  }
  if (hasElse) return true
  const missing = possible?.filter((value) => !values.includes(value)) ?? []
  if (possible !== undefined && field.required && missing.length === 0) return true
  findings.error(path, 'SLUICE_RULES_VARIANT_MISSING', field.name, missing)
  return false
}
