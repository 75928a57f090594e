import type { CompiledRule } from './rule.js'
import type { When } from '../document/document.js'
import type { Findings } from '../document/findings.js'
import { isLiteral } from '../match/predicates/predicate.js'

/** Finds probable mistakes in a valid document. */
export function warn(rules: readonly CompiledRule[], findings: Findings): void {
  const enabled = rules.filter((rule) => rule.enabled)
  for (const rule of enabled) warnOfOne(rule, findings)
  const floors = enabled.filter(isFloor)
  for (const rule of enabled) {
    const absent = optionalKeyOf(rule)
    if (absent.length === 0 || rule.shadow || floors.some((floor) => mayLimit(floor, rule, absent)))
      continue
    findings.place('rules', rule.number, 'key').warning('SLUICE_RULES_NO_FLOOR', rule.id, absent)
  }
}

function warnOfOne({ id, number, declaration, action }: CompiledRule, findings: Findings): void {
  const place = findings.place('rules', number)
  if (action.type === 'allow' && hasPathPattern(declaration.when)) {
    place.at('when').warning('SLUICE_RULES_ALLOW_PATH', id)
  }
  if (action.type === 'limit' && action.key.parts.flat().some(({ type }) => type === 'path')) {
    place.at('key').warning('SLUICE_RULES_KEY_UNBOUNDED', id, 'path')
  }
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

/** Whether a floor can apply to requests that a rule matches and that lack the fields: it requires none of the fields, and no other value of a field. */
function mayLimit(
  { declaration: floor }: CompiledRule,
  { declaration }: CompiledRule,
  absent: readonly string[],
): boolean {
  return Object.entries(floor.when ?? {}).every(([name, wanted]) => {
    if (absent.includes(name)) return JSON.stringify(wanted) === '{"present":false}'
    const own = declaration.when?.[name]
    if (own === undefined || name === 'path' || name === 'ip') return own !== undefined
    if (!isLiteral(wanted) || !isLiteral(own)) return true
    const known = new Set([wanted].flat().map(String))
    return [own].flat().every((value) => known.has(String(value)))
  })
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
