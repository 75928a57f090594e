import type { Policy } from '@sluice/core'
import type { By, PolicyDeclaration, RuleDeclaration, RulesDocument } from '../document/document.js'
import type { Path } from '../document/syntax.js'
import type { Field, RequestContext } from '../match/context.js'
import { RecentMap } from '../match/recent-map.js'
import type { Schedule } from '../match/schedule.js'
import type { Vocabulary } from '../match/vocabulary.js'
import {
  overridden,
  readOverrides,
  type OverrideReader,
  type OverridesFunction,
} from './overrides.js'
import { buildPolicy, declaredPolicies, isBy, type DeclaredPolicy } from './policies.js'

/** The policies of a rule for some of its requests: those of one plan, one schedule, one override. */
export interface Variant {
  /** Unique within the process, so that equal sets of rules and variants use the same object of policies. */
  readonly id: number
  /** By the names of their counts. */
  readonly policies: readonly (readonly [string, Policy])[]
  /** What led to it: `plan "pro"`, `override "acme"`. */
  readonly reasons: readonly string[]
}

/** The limits of a rule. */
export interface VariantReader {
  /** The variants that do not depend on a function of the application. */
  readonly all: readonly Variant[]
  /** The variant of a request. */
  variantOf(context: RequestContext): Variant
  /** The variant that the request would have without an override. */
  ownVariantOf(context: RequestContext): Variant
  /** Takes the function of the application for overrides. */
  use(overrides: OverridesFunction): void
}

/** One alternative of a choice. */
interface Alternative {
  readonly declaration: PolicyDeclaration
  readonly policy: Policy
  readonly reason: string | undefined
}

/** A policy of the rule, with what chooses among its alternatives. */
interface Slot {
  readonly name: string
  readonly alternatives: readonly Alternative[]
  choose(context: RequestContext): number
}

let lastId = 0

/** Reads the limits of a rule. Undefined after findings. */
export function readVariants(
  rule: RuleDeclaration,
  document: Pick<RulesDocument, 'zone' | 'values'>,
  files: ReadonlyMap<string, string>,
  path: Path,
  vocabulary: Vocabulary,
): VariantReader | undefined {
  const { findings } = vocabulary
  const count = rule.count ?? rule.id
  const slots: Slot[] = []
  const declared = declaredPolicies(rule, path, findings)
  for (const policy of declared) {
    const name = policy.name === undefined ? count : `${count}.${policy.name}`
    if (name.length > longestName) {
      findings.error(
        policy.path,
        'SLUICE_RULES_TOO_LARGE',
        `the name "${name}" is too long`,
        name.length,
        `${longestName} characters`,
      )
    }
    const slot = readSlot(rule.id, name, policy, document.zone, vocabulary)
    if (slot !== undefined) slots.push(slot)
  }
  const overrides = readOverrides(
    rule,
    slots.flatMap(({ alternatives }) => alternatives),
    document.zone,
    files,
    path,
    vocabulary,
  )
  if (slots.length === 0 || slots.length < declared.length) return undefined
  return createReader(slots, overrides, document.zone)
}

const longestName = 64

function createReader(
  slots: readonly Slot[],
  overrides: OverrideReader | undefined,
  zone: string | undefined,
): VariantReader {
  const own = new Map<string, Variant>()
  const changed = new RecentMap<string, Variant>(4096)

  function ownVariant(choices: readonly number[]): Variant {
    const key = choices.join()
    let variant = own.get(key)
    if (variant === undefined) {
      const chosen = slots.map(({ alternatives }, i) => alternatives[choices[i]])
      variant = {
        id: ++lastId,
        policies: slots.map(({ name }, i) => [name, chosen[i].policy]),
        reasons: chosen.flatMap(({ reason }) => reason ?? []),
      }
      own.set(key, variant)
    }
    return variant
  }

  const only = slots.every(({ alternatives }) => alternatives.length === 1)
    ? ownVariant(slots.map(() => 0))
    : undefined
  const ownVariantOf = (context: RequestContext): Variant =>
    only ?? ownVariant(slots.map((slot) => slot.choose(context)))

  function variantOf(context: RequestContext): Variant {
    const override = overrides?.overrideOf(context)
    if (override === undefined) return ownVariantOf(context)
    // Overrides are only allowed with one policy.
    const [slot] = slots
    const choice = slot.choose(context)
    const key = `${choice} ${override.key}`
    let variant = changed.get(key)
    if (variant === undefined) {
      const { declaration } = slot.alternatives[choice]
      const policy = overridden(declaration, override, zone)
      variant = { id: ++lastId, policies: [[slot.name, policy]], reasons: [override.reason] }
      changed.set(key, variant)
    }
    return variant
  }

  return {
    get all() {
      if (slots.length === 1) slots[0].alternatives.forEach((_, i) => ownVariant([i]))
      return [...own.values()]
    },
    variantOf: overrides === undefined ? ownVariantOf : variantOf,
    ownVariantOf,
    use(given) {
      overrides?.use(given)
    },
  }
}

function readSlot(
  rule: string,
  name: string,
  { choice, path }: DeclaredPolicy,
  zone: string | undefined,
  vocabulary: Vocabulary,
): Slot | undefined {
  if (isBy(choice)) return readChoice(rule, name, choice, zone, path, vocabulary)
  const policy = buildPolicy(rule, choice, path, zone, vocabulary.findings)
  if (policy === undefined) return undefined
  return {
    name,
    alternatives: [{ declaration: choice, policy, reason: undefined }],
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
    const policy = buildPolicy(rule, declaration, [...path, value], zone, findings)
    if (policy === undefined) return undefined
    indexes.set(value, alternatives.length)
    alternatives.push({
      declaration,
      policy,
      reason: value === 'else' ? `${by} else` : `${by} ${value}`,
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
  const field = fields.isValue(by) ? fields.field(by, { patterns: [], exact: false }) : undefined
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
