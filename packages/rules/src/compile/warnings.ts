import type { CompiledRule } from './rule.js'
import type { RulesDocument, When } from '../document/document.js'
import type { Findings } from '../document/findings.js'
import type { Path } from '../document/syntax.js'
import type { Field } from '../match/context.js'
import type { Pause } from '../slices.js'
import { includes, type Inclusion, type Matched } from './inclusion.js'

/**
 * Finds probable mistakes in a valid document, as far as they can be proved. Comparisons of rules with each other are limited, because their number
 * grows with the square of the rules.
 */
export async function warn(
  { caseSensitive = false }: RulesDocument,
  rules: readonly CompiledRule[],
  findings: Findings,
  pause: Pause,
): Promise<void> {
  const enabled = rules.filter((rule) => rule.enabled)
  for (const rule of enabled) {
    warnOfOne(rule, findings)
    const pausing = pause()
    if (pausing !== undefined) await pausing
  }
  const pairs = createPairs(pause)
  await warnOfUnreachable(enabled, caseSensitive, findings, pairs)
  await warnOfMissingFloor(enabled, caseSensitive, findings, pairs)
}

/** Finds the first candidate that passes a test. The number of all comparisons is bounded. */
type Pairs = (
  candidates: readonly CompiledRule[],
  test: (candidate: CompiledRule) => boolean,
) => Promise<CompiledRule | undefined>

const mostComparisons = 500_000

function createPairs(pause: Pause): Pairs {
  let left = mostComparisons
  return async function find(candidates, test) {
    for (const candidate of candidates) {
      if (--left < 0) return undefined
      if (test(candidate)) return candidate
      const pausing = pause()
      if (pausing !== undefined) await pausing
    }
    return undefined
  }
}

function warnOfOne({ id, number, declaration, action }: CompiledRule, findings: Findings): void {
  const path: Path = ['rules', number]
  if (action.type === 'allow' && hasPathPattern(declaration.when)) {
    findings.warning([...path, 'when'], 'SLUICE_RULES_ALLOW_PATH', id)
  }
  if (action.type === 'limit' && action.key.parts.some(hasPath)) {
    findings.warning([...path, 'key'], 'SLUICE_RULES_KEY_UNBOUNDED', id, 'path')
  }
  if (hasRegexp(declaration.when)) warnOfRegexps(declaration.when, [...path, 'when'], findings)
}

function hasPath(fields: readonly Field[]): boolean {
  return fields.some(({ type }) => type === 'path')
}

/** A fast check, because most rules have no regular expression, and recording the path of each member takes longer. */
function hasRegexp(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  return 'matches' in value || Object.values(value).some(hasRegexp)
}

/** Whether a condition on the path is more than a list of paths: a pattern, an operator other than `present`, or all paths but some. */
function hasPathPattern({ any = [], all = [], not, path }: When = {}): boolean {
  return isPathPattern(path) || [...any, ...all].some(hasPathPattern) || mentionsPath(not)
}

function mentionsPath({ any = [], all = [], not, path }: When = {}): boolean {
  const inner = [...any, ...all, ...(not === undefined ? [] : [not])]
  return path !== undefined || inner.some(mentionsPath)
}

function isPathPattern(predicate: When[string]): boolean {
  if (typeof predicate !== 'object') return typeof predicate === 'string' && isPattern(predicate)
  if (Array.isArray(predicate)) return predicate.some((path) => isPattern(`${path}`))
  return Object.keys(predicate).some((operator) => operator !== 'present')
}

/** Whether a pattern has a parameter or a wildcard. After a backslash the character is a plain one. */
function isPattern(pattern: string): boolean {
  return /[:*]/.test(pattern.replace(/\\./g, ''))
}

function warnOfRegexps(value: unknown, path: Path, findings: Findings): void {
  if (typeof value !== 'object' || value === null) return
  for (const [name, member] of Object.entries(value)) {
    const place = [...path, Array.isArray(value) ? Number(name) : name]
    if (name !== 'matches' || typeof member !== 'string') {
      warnOfRegexps(member, place, findings)
      continue
    }
    const plain = /^(\^?)([\w\s/@:,-]+)(\$?)$/.exec(member)
    if (plain === null) continue
    const [, start, text, end] = plain
    const operator = start === '' ? (end === '' ? 'contains' : 'suffix') : 'prefix'
    const instead =
      start !== '' && end !== '' ? `the value "${text}"` : `{ ${operator}: "${text}" }`
    findings.warning(place, 'SLUICE_RULES_REGEXP_NEEDLESS', member, instead)
  }
}

async function warnOfUnreachable(
  rules: readonly CompiledRule[],
  caseSensitive: boolean,
  findings: Findings,
  find: Pairs,
): Promise<void> {
  const ending: CompiledRule[] = []
  const counting = new Map<string, CompiledRule[]>()
  for (const rule of rules) {
    const { action, shadow } = rule
    const path = ['rules', rule.number]
    const matchesAll = (other: CompiledRule): boolean =>
      includes(matchedBy(other), matchedBy(rule), caseSensitive) === 'yes'
    const before = await find(ending, matchesAll)
    if (before !== undefined) {
      findings.warning(path, 'SLUICE_RULES_UNREACHABLE', rule.id, before.id, before.line, false)
    }
    if (action.type === 'limit') {
      const sharing = counting.get(action.count) ?? []
      counting.set(action.count, sharing)
      const counted = await find(
        sharing,
        (other) => appliesBefore(other, rule) && matchesAll(other),
      )
      if (counted !== undefined && before === undefined) {
        findings.warning(path, 'SLUICE_RULES_UNREACHABLE', rule.id, counted.id, counted.line, true)
      }
      sharing.push(rule)
    }
    if (!shadow && (action.type === 'allow' || action.type === 'refuse')) ending.push(rule)
  }
}

/** Whether the limit of a rule applies to every request that it matches and that has the key of another rule. */
function appliesBefore({ action, ...rule }: CompiledRule, other: CompiledRule): boolean {
  if (action.type !== 'limit' || action.group !== undefined) return false
  const isSameKey = JSON.stringify(rule.declaration.key) === JSON.stringify(other.declaration.key)
  return isSameKey || optionalKeyOf({ action, ...rule }).length === 0
}

async function warnOfMissingFloor(
  rules: readonly CompiledRule[],
  caseSensitive: boolean,
  findings: Findings,
  find: Pairs,
): Promise<void> {
  const floors = rules.filter((rule) => isFloor(rule))
  for (const rule of rules) {
    const absent = optionalKeyOf(rule)
    if (absent.length === 0 || rule.shadow) continue
    const without = withoutFields(rule, absent)
    const floor = await find(floors, (other) => {
      const inclusion: Inclusion = includes(matchedBy(other), without, caseSensitive)
      return inclusion !== 'no'
    })
    if (floor === undefined) {
      findings.warning(['rules', rule.number, 'key'], 'SLUICE_RULES_NO_FLOOR', rule.id, absent)
    }
  }
}

/** Whether the rule limits or refuses every request that it matches. */
function isFloor(rule: CompiledRule): boolean {
  if (rule.shadow || rule.action.type === 'tag' || rule.action.type === 'allow') return false
  return (
    rule.action.type === 'refuse' ||
    (rule.action.role === 'enforced' && optionalKeyOf(rule).length === 0)
  )
}

/** The fields without which the rule does not apply. */
function optionalKeyOf({ action, declaration }: CompiledRule): readonly string[] {
  if (action.type !== 'limit') return []
  const parts = action.key.parts.filter((fields) =>
    fields.every(
      ({ required, type, name }) => !required && type !== 'address' && !isConstant(name),
    ),
  )
  return parts.flat().flatMap(({ name }) => (declaration.when?.[name] === undefined ? name : []))
}

/** Every HTTP request has these, and a parameter of a rule's own path is present if the rule matches. */
function isConstant(name: string): boolean {
  return name === 'method' || name === 'path' || name.startsWith('param.')
}

/** The requests that the rule matches and that lack the fields. */
function withoutFields({ declaration, own }: CompiledRule, absent: readonly string[]): Matched {
  const lacking = Object.fromEntries(absent.map((name) => [name, { present: false }]))
  return { when: { ...declaration.when, ...lacking }, exact: own.exact }
}

function matchedBy({ declaration, own }: CompiledRule): Matched {
  return { when: declaration.when, exact: own.exact }
}
