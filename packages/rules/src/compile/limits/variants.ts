import type { Policy } from '@sluice/core'
import type { By, PolicyDeclaration, RuleDeclaration } from '../../document/document.js'
import type { Place } from '../../document/findings.js'
import type { Field, Request } from '../../match/reading.js'
import { RecentMap } from '../../match/recent-map.js'
import type { Vocabulary } from '../../match/vocabulary.js'
import { readChoice, type Alternative, type Choice } from './choice.js'
import { overridden, readOverrides, type Override, type OverrideReader } from './overrides.js'

/** The policies of a rule for some of its requests: those of one plan, one schedule, one override. */
export interface Variant {
  /** Unique within the process, so that equal sets of rules and variants use the same object of policies. */
  readonly id: number
  /** By the names of their counts. */
  readonly policies: readonly (readonly [string, Policy])[]
  /** The reasons for the choice of this variant: `plan "pro"`, `override "acme"`. */
  readonly reasons: readonly string[]
}

/** The limits of a rule. */
export interface VariantReader {
  /** The names of the counts of its policies. */
  readonly names: readonly string[]
  /** The alternatives of each policy, without overrides. */
  readonly alternatives: readonly (Alternative & { readonly name: string })[]
  /** The fields that choose. */
  readonly fields: readonly Field[]
  /** The limits that requests can have besides those of the alternatives. Undefined if there are none. */
  readonly overrides: readonly Override[] | undefined
  /** The variant of a request. */
  variantOf(request: Request): Variant
  /** The variant that the request would have without an override. */
  ownVariantOf(request: Request): Variant
}

let lastId = 0

/** Reads the limits of a rule. Undefined after findings. */
export function readVariants(
  rule: RuleDeclaration,
  place: Place,
  vocabulary: Vocabulary,
): VariantReader | undefined {
  const count = rule.count ?? rule.id
  const declared = declaredPolicies(rule, place) ?? []
  const choices = declared.flatMap(({ name: own, choice, at }) => {
    const name = own === undefined ? count : `${count}.${own}`
    if (name.length > longestName) {
      const most = `${longestName} characters`
      at.error('SLUICE_RULES_TOO_LARGE', `the name "${name}" is too long`, name.length, most)
    }
    return readChoice(rule.id, name, choice, at, vocabulary) ?? []
  })
  const overrides = readOverrides(rule, choices, place, vocabulary)
  if (choices.length === 0 || choices.length < declared.length) return undefined
  return createReader(choices, overrides, vocabulary.zone)
}

const longestName = 64

interface DeclaredPolicy {
  /** Its name beside the count, if the rule has several. */
  readonly name: string | undefined
  readonly choice: PolicyDeclaration | By<PolicyDeclaration>
  readonly at: Place
}

/** Finds the policies of a rule in any of the three forms. Undefined after a finding. */
function declaredPolicies(
  rule: RuleDeclaration,
  place: Place,
): readonly DeclaredPolicy[] | undefined {
  const { limit, window, algorithm, policy, policies = {} } = rule
  const [first, second] = ofForms.filter((form) => rule[form] !== undefined)
  if (second !== undefined) {
    const advice = 'Write "limit" and "window", or "policy", or "policies"'
    return place.at(second).error('SLUICE_RULES_OPTIONS_CONFLICT', first, second, advice)
  }
  if (limit !== undefined) {
    if (window === undefined) {
      return place.error('SLUICE_RULES_OPTION_MISSING', 'window', 'a duration such as 1m')
    }
    const kind = algorithm ?? 'slidingWindow'
    const choice = withEach(limit, (limit) => ({ kind, limit, window }))
    return [{ name: undefined, choice, at: place.at('limit') }]
  }
  const stray = window !== undefined ? 'window' : algorithm === undefined ? undefined : 'algorithm'
  if (stray !== undefined) {
    const expected = `"limit" beside "${stray}"`
    return place.at(stray).error('SLUICE_RULES_OPTION_MISSING', 'limit', expected)
  }
  if (policy !== undefined) return [{ name: undefined, choice: policy, at: place.at('policy') }]
  const named = Object.entries(policies).map(([name, choice]) => {
    return { name, choice, at: place.at('policies', name) }
  })
  if (named.length > 0) return named
  const expected = '"limit" and "window", "policy", "policies" or "then"'
  return place.error('SLUICE_RULES_OPTION_MISSING', 'limit', expected)
}

const ofForms = ['limit', 'policy', 'policies'] as const

function withEach(
  limit: number | string | By<number>,
  make: (limit: number) => PolicyDeclaration,
): PolicyDeclaration | By<PolicyDeclaration> {
  // The application passes the limit of each request.
  if (typeof limit === 'string') return make(0)
  if (typeof limit === 'number') return make(limit)
  const choices = Object.entries(limit).flatMap(([value, chosen]) =>
    typeof chosen === 'number' ? [[value, make(chosen)] as const] : [],
  )
  return { by: limit.by, ...Object.fromEntries(choices) }
}

function createReader(
  choices: readonly Choice[],
  overrides: OverrideReader | undefined,
  zone: string | undefined,
): VariantReader {
  const variants = new RecentMap<string, Variant>(4096)
  const hasChoice = choices.some(({ alternatives }) => alternatives.length > 1)
  const only = hasChoice ? undefined : made(choices.map(() => 0))

  function made(chosen: readonly number[], override?: Override): Variant {
    const own = choices.map(({ name, alternatives }, i) => ({ name, ...alternatives[chosen[i]] }))
    const id = ++lastId
    if (override === undefined) {
      const policies = own.map(({ name, policy }) => [name, policy] as const)
      return { id, policies, reasons: own.flatMap(({ reason }) => reason ?? []) }
    }
    // An override of several policies replaces all of them by one.
    const [{ name, declaration }] = own
    const policy = overridden(declaration, override, zone, choices.length)
    return { id, policies: [[name, policy]], reasons: [override.reason] }
  }

  function known(request: Request, override?: Override): Variant {
    if (only !== undefined && override === undefined) return only
    const chosen = choices.map(({ choose }) => choose(request))
    const key = `${chosen.join()} ${override?.key ?? ''}`
    let variant = variants.get(key)
    if (variant === undefined) variants.set(key, (variant = made(chosen, override)))
    return variant
  }

  const fields = [...choices.map(({ field }) => field), overrides?.field]
  return {
    names: choices.map(({ name }) => name),
    alternatives: choices.flatMap(({ name, alternatives }) =>
      alternatives.map((alternative) => ({ ...alternative, name })),
    ),
    fields: fields.filter((field) => field !== undefined),
    overrides: overrides?.entries,
    ownVariantOf: (request) => known(request),
    variantOf: (request) => known(request, overrides?.overrideOf(request)),
  }
}
