import type { Policy } from '@sluice/core'
import type { RuleDeclaration, RulesDocument } from '../../document/document.js'
import type { Path } from '../../document/syntax.js'
import { rulesErrorFrom } from '../../errors.js'
import { reasonOf } from '../../errors/reason.js'
import type { RequestContext } from '../../match/context.js'
import { RecentMap } from '../../match/recent-map.js'
import type { Vocabulary } from '../../match/vocabulary.js'
import { overridden, readOverrides, type OverrideReader } from './override-table.js'
import type { Override, OverridesFunction } from './overrides.js'
import { declaredPolicies } from './policies.js'
import { readSlot, type Slot } from './slots.js'

/** The policies of a rule for some of its requests: those of one plan, one schedule, one override. */
export interface Variant {
  /** Unique within the process, so that equal sets of rules and variants use the same object of policies. */
  readonly id: number
  /** By the names of their counts. */
  readonly policies: readonly (readonly [string, Policy])[]
  /** The reasons for the choice of this variant: `plan "pro"`, `override "acme"`. */
  readonly reasons: readonly string[]
}

/** An alternative, and the name of the count that it is a policy of. */
export interface NamedAlternative {
  readonly name: string
  readonly policy: Policy
  /** The reason for its choice: `plan pro`. Undefined if the rule has no choice. */
  readonly reason: string | undefined
  /** The value that chooses it. */
  readonly by: string | undefined
}

/** The limits of a rule. */
export interface VariantReader {
  /** The names of the counts of its policies. */
  readonly names: readonly string[]
  /** The variants that do not depend on a function of the application. */
  readonly all: readonly Variant[]
  /** The policies of the first choice of each, by the names of their counts. */
  readonly first: readonly (readonly [string, Policy])[]
  /** The variant of a request. */
  variantOf(context: RequestContext): Variant
  /** The variant that the request would have without an override. */
  ownVariantOf(context: RequestContext): Variant
  /** The overrides of the document and its file. */
  overrides(): Iterable<Override>
  /** Takes the function of the application for overrides. */
  use(overrides: OverridesFunction): void
  /** The alternatives of each policy, without overrides. */
  readonly alternatives: readonly NamedAlternative[]
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
  const overrides = readOverrides(rule, slots, document.zone, files, path, vocabulary)
  if (slots.length === 0 || slots.length < declared.length) return undefined
  return createReader(rule.id, slots, overrides, document.zone)
}

const longestName = 64

function createReader(
  rule: string,
  slots: readonly Slot[],
  overrides: OverrideReader | undefined,
  zone: string | undefined,
): VariantReader {
  const only = slots.every(({ alternatives }) => alternatives.length === 1)
    ? variantOfChoices(slots.map(() => 0))
    : undefined
  if (only !== undefined && overrides === undefined) return readerOf(only)
  const own = new Map<string, Variant>()
  const changed = new RecentMap<string, Variant>(4096)

  function variantOfChoices(choices: readonly number[]): Variant {
    const chosen = slots.map(({ alternatives }, i) => alternatives[choices[i]])
    return {
      id: ++lastId,
      policies: slots.map(({ name }, i) => [name, chosen[i].policy]),
      reasons: chosen.flatMap(({ reason }) => reason ?? []),
    }
  }

  function ownVariant(choices: readonly number[]): Variant {
    const key = choices.join()
    let variant = own.get(key)
    if (variant === undefined) own.set(key, (variant = variantOfChoices(choices)))
    return variant
  }

  const ownVariantOf = (context: RequestContext): Variant =>
    only ?? ownVariant(slots.map((slot) => slot.choose(context)))

  function variantOf(context: RequestContext): Variant {
    const override = overrides?.overrideOf(context)
    if (override === undefined) return ownVariantOf(context)
    // An override of several policies replaces all of them by one.
    const [slot] = slots
    const choice = slot.choose(context)
    const key = `${choice} ${override.key}`
    let variant = changed.get(key)
    if (variant === undefined) {
      const { declaration } = slot.alternatives[choice]
      const policy = replaced(rule, declaration, override, zone, slots.length)
      variant = { id: ++lastId, policies: [[slot.name, policy]], reasons: [override.reason] }
      changed.set(key, variant)
    }
    return variant
  }

  return {
    names: slots.map(({ name }) => name),
    first: slots.map(({ name, alternatives: [{ policy }] }) => [name, policy]),
    get all() {
      if (only !== undefined) return [only]
      if (slots.length === 1) slots[0].alternatives.forEach((_, i) => ownVariant([i]))
      return [...own.values()]
    },
    variantOf: overrides === undefined ? ownVariantOf : variantOf,
    ownVariantOf,
    overrides: () => overrides?.entries() ?? [],
    use(given) {
      overrides?.use(given)
    },
    alternatives: slots.flatMap(({ name, alternatives }) =>
      alternatives.map(({ policy, reason, by }) => ({ name, policy, reason, by })),
    ),
  }
}

/** The limits of a rule without choices and overrides. */
function readerOf(variant: Variant): VariantReader {
  return {
    names: variant.policies.map(([name]) => name),
    first: variant.policies,
    all: [variant],
    variantOf: () => variant,
    ownVariantOf: () => variant,
    overrides: () => [],
    use() {},
    alternatives: variant.policies.map(([name, policy]) => ({
      name,
      policy,
      reason: undefined,
      by: undefined,
    })),
  }
}

/** The document's own overrides have been checked, those of the application's function have not. */
function replaced(
  rule: string,
  ...[declaration, override, zone, count]: Parameters<typeof overridden>
): Policy {
  try {
    return overridden(declaration, override, zone, count)
  } catch (error) {
    const problem = `${override.reason}: ${reasonOf(error)}`
    throw rulesErrorFrom(error, 'SLUICE_RULES_OVERRIDE_INVALID', rule, problem)
  }
}
