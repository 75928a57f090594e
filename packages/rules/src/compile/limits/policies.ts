import type { Policy } from '@sluice/core'
import { checkedPolicy } from '@sluice/core/internal'
import type { By, PolicyDeclaration, RuleDeclaration } from '../../document/document.js'
import type { Findings } from '../../document/findings.js'
import type { Path } from '../../document/syntax.js'
import type { Vocabulary } from '../../match/vocabulary.js'

/** A policy of a rule, or a choice of policies. */
export interface DeclaredPolicy {
  /** Its name beside the count, if the rule has several. */
  readonly name: string | undefined
  readonly choice: PolicyDeclaration | By<PolicyDeclaration>
  readonly path: Path
}

/** Finds the policies of a rule in any of the three forms. Mistakes go to the findings. */
export function declaredPolicies(
  rule: RuleDeclaration,
  path: Path,
  findings: Findings,
): readonly DeclaredPolicy[] {
  const { limit, window, algorithm, policy, policies } = rule
  const forms = Object.entries({ limit, policy, policies }).filter(([, form]) => form !== undefined)
  if (forms.length > 1) {
    const [[first], [second]] = forms
    const advice = 'Write "limit" and "window", or "policy", or "policies"'
    findings.error([...path, second], 'SLUICE_RULES_OPTIONS_CONFLICT', first, second, advice)
    return []
  }
  if (limit === undefined) {
    for (const [name, value] of Object.entries({ window, algorithm })) {
      if (value === undefined) continue
      findings.error(
        [...path, name],
        'SLUICE_RULES_OPTION_MISSING',
        'limit',
        `"limit" beside "${name}"`,
      )
      return []
    }
  }
  if (limit !== undefined) {
    if (window === undefined) {
      findings.error(path, 'SLUICE_RULES_OPTION_MISSING', 'window', 'a duration such as 1m')
      return []
    }
    const kind = algorithm ?? 'slidingWindow'
    const choice = withEach(limit, (limit) => ({ kind, limit, window }))
    return [{ name: undefined, choice, path: [...path, 'limit'] }]
  }
  if (policy !== undefined) return [{ name: undefined, choice: policy, path: [...path, 'policy'] }]
  if (policies !== undefined && Object.keys(policies).length > 0) {
    return Object.entries(policies).map(([name, choice]) => {
      return { name, choice, path: [...path, 'policies', name] }
    })
  }
  const expected = '"limit" and "window", "policy", "policies" or "then"'
  findings.error(path, 'SLUICE_RULES_OPTION_MISSING', 'limit', expected)
  return []
}

export function isBy<T>(choice: T | By<T>): choice is By<T> {
  return typeof choice === 'object' && choice !== null && 'by' in choice
}

function withEach(
  limit: number | By<number>,
  make: (limit: number) => PolicyDeclaration,
): PolicyDeclaration | By<PolicyDeclaration> {
  if (!isBy(limit)) return make(limit)
  const choices = Object.entries(limit).flatMap(([value, chosen]) =>
    typeof chosen === 'number' ? [[value, make(chosen)] as const] : [],
  )
  return { by: limit.by, ...Object.fromEntries(choices) }
}

/** Builds a policy as its builder does. Undefined after a finding. */
export function buildPolicy(
  rule: string,
  declaration: PolicyDeclaration,
  path: Path,
  zone: string | undefined,
  { findings, policies }: Pick<Vocabulary, 'findings' | 'policies'>,
): Policy | undefined {
  const key = JSON.stringify(declaration)
  const known = policies.get(key)
  if (known !== undefined) return known
  const isUsual = !warnOfShort(declaration, path, findings)
  try {
    const policy = checkedPolicy(inZone(declaration, zone), `rule "${rule}"`)
    // A policy with a warning is not cached, so that each rule with it has its own warning.
    if (isUsual) policies.set(key, policy)
    return policy
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error)
    const place = hasInvalidWindow(declaration) ? placeOf('window', path) : path
    findings.error(place, 'SLUICE_RULES_POLICY', problem)
    return undefined
  }
}

const durations = new Set(['window', 'every', 'lease', 'maxDelay', 'for', 'max'])

/** Warns of numbers that are probably seconds, also in a block and in the stages of a policy. Returns whether it did. */
function warnOfShort(declaration: object, path: Path, findings: Findings): boolean {
  let hasWarned = false
  const members: [string, unknown][] = Object.entries(declaration)
  for (const [member, value] of members) {
    if (typeof value === 'object' && value !== null) {
      hasWarned = warnOfShort(value, path, findings) || hasWarned
    } else if (durations.has(member) && isShort(value)) {
      hasWarned = true
      findings.warning(placeOf(member, path), 'SLUICE_RULES_DURATION_SHORT', value)
    }
  }
  return hasWarned
}

/** Whether a duration is a number that is probably one of seconds. */
export function isShort(value: unknown): value is number {
  return typeof value === 'number' && value > 0 && value < 1000
}

/** Whether the declaration of an invalid policy becomes valid with another window. */
function hasInvalidWindow(declaration: PolicyDeclaration): boolean {
  if (!('window' in declaration)) return false
  try {
    checkedPolicy({ ...declaration, window: '1m' }, '')
    return true
  } catch {
    return false
  }
}

/** The place of a member of a policy. In the short form, `window` is beside `limit`. */
function placeOf(member: string, path: Path): Path {
  return member === 'window' && path[2] === 'limit' ? [...path.slice(0, 2), 'window'] : path
}

/** Calendar windows without a zone are in the zone of the document. */
export function inZone(
  declaration: PolicyDeclaration,
  zone: string | undefined,
): PolicyDeclaration {
  if (zone === undefined) return declaration
  if (declaration.kind === 'calendarWindow') return { timeZone: zone, ...declaration }
  if (declaration.kind !== 'staged') return declaration
  const { free, then } = declaration
  return {
    ...declaration,
    ...(isPolicyDeclaration(free) ? { free: inZone(free, zone) } : {}),
    // oxlint-disable-next-line unicorn/no-thenable -- the option's name
    ...(isPolicyDeclaration(then) ? { then: inZone(then, zone) } : {}),
  }
}

export function isPolicyDeclaration(value: unknown): value is PolicyDeclaration {
  return (
    typeof value === 'object' && value !== null && 'kind' in value && typeof value.kind === 'string'
  )
}
