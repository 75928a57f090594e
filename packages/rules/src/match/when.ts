import type { Operators, Predicate, Scalar, When } from '../document/document.js'
import type { Path } from '../document/syntax.js'
import { namesIn, singleFields } from './certainty.js'
import { allOf, anyOf, duringCondition, notOf, type Condition } from './predicates/conditions.js'
import type { Field } from './context.js'
import type { OwnPath } from './paths/path-match.js'
import { predicateCondition } from './predicates/predicate.js'
import type { Vocabulary } from './vocabulary.js'

/** The requirements of a rule for a request. Its conditions are in the order in which they are tested. */
export interface Requirements {
  readonly conditions: readonly Condition[]
  readonly own: OwnPath
  /** Fields of an exemption that must not have several values. */
  readonly single: readonly Field[]
}

/** Levels of `any`, `all` and `not` within each other. */
const deepest = 8

/**
 * Reads the predicates of a rule. Mistakes go to the findings.
 *
 * @param exact whether the rule sees the path as the client sent it
 */
export function readWhen(
  when: When | undefined,
  exact: boolean,
  path: Path,
  vocabulary: Vocabulary,
): Requirements {
  const own = ownPath(when, exact, path, vocabulary)
  const conditions = when === undefined ? [] : conditionsOf(when, own, exact, path, vocabulary, 1)
  return {
    conditions: conditions.toSorted((a, b) => a.work - b.work),
    own,
    single: exact ? singleFields(when, own, vocabulary.fields) : [],
  }
}

/** The conditions under which a limit that names a parameter matches a request as it was sent. Undefined for other limits. */
export function conditionsAsSent(
  when: When | undefined,
  own: OwnPath,
  path: Path,
  vocabulary: Vocabulary,
): readonly Condition[] | undefined {
  // Each mistake is reported once.
  if (when === undefined || vocabulary.findings.hasErrors) return undefined
  return namesParameter(when) ? conditionsOf(when, own, true, path, vocabulary, 1) : undefined
}

/**
 * @param certain whether a predicate must hold for every meaning of a request, as in an exemption. A limit applies if it holds for one of them. Within `not`
 * it is the opposite: `not` negates a predicate that holds for one meaning.
 */
function conditionsOf(
  when: When,
  own: OwnPath,
  certain: boolean,
  path: Path,
  vocabulary: Vocabulary,
  level: number,
): Condition[] {
  if (level > deepest) {
    const most = `${deepest} levels of "any", "all" and "not"`
    vocabulary.findings.error(
      path,
      'SLUICE_RULES_TOO_LARGE',
      'this nests too deeply',
      undefined,
      most,
    )
    return []
  }
  const { any, all, not, ...fields } = when
  const conditions: Condition[] = []
  const within = (inner: When, at: Path, isCertain = certain): Condition =>
    allOf(conditionsOf(inner, own, isCertain, at, vocabulary, level + 1))
  for (const [name, predicate] of Object.entries(fields)) {
    const condition = isPredicate(predicate)
      ? fieldConditionOf(name, predicate, own, certain, [...path, name], vocabulary)
      : undefined
    if (condition !== undefined) conditions.push(condition)
  }
  if (any !== undefined) {
    conditions.push(anyOf(any.map((inner, i) => within(inner, [...path, 'any', i]))))
  }
  all?.forEach((inner, i) => conditions.push(within(inner, [...path, 'all', i])))
  if (not !== undefined) {
    conditions.push(notOf(within(not, [...path, 'not'], !certain), JSON.stringify(not)))
  }
  return conditions
}

function fieldConditionOf(
  name: string,
  predicate: Predicate,
  own: OwnPath,
  certain: boolean,
  path: Path,
  vocabulary: Vocabulary,
): Condition | undefined {
  const { fields, findings } = vocabulary
  if (name === 'during') return duringOf(predicate, path, vocabulary)
  const field = fields.field(name, own, certain)
  if (field === undefined) {
    findings.unknown(path, name, fields.names, 'SLUICE_RULES_FIELD_UNKNOWN', name, fields.names)
    return undefined
  }
  const seen = { field, opposite: fields.field(name, own, !certain) ?? field }
  return predicateCondition(seen, certain, predicate, path, vocabulary)
}

function duringOf(predicate: Predicate, path: Path, vocabulary: Vocabulary): Condition | undefined {
  if (!isLiteral(predicate)) {
    const { not } = predicate
    if (not !== undefined && Object.keys(predicate).length === 1) {
      const inner = duringOf(not, [...path, 'not'], vocabulary)
      return inner && notOf(inner, `during ${literalsOf(isLiteral(not) ? not : []).join(', ')}`)
    }
    const expected = 'the name of a schedule, or { not: … }'
    vocabulary.findings.error(path, 'SLUICE_RULES_OPTION_INVALID', predicate, expected)
    return undefined
  }
  const names = literalsOf(predicate).map(String)
  const schedules = names.map((name) => vocabulary.scheduleOf(name, path))
  return duringCondition(
    names,
    schedules.filter((schedule) => schedule !== undefined),
  )
}

/** The patterns of `path` at the top of `when`. The rule applies to no other paths, so these patterns define its parameters. */
function ownPath(
  when: When | undefined,
  exact: boolean,
  path: Path,
  vocabulary: Vocabulary,
): OwnPath {
  const predicate = when?.['path']
  const literals = isPredicate(predicate) && isLiteral(predicate) ? literalsOf(predicate) : []
  const numbers = (isExact: boolean): readonly number[] =>
    vocabulary.patternsOf(literals, isExact, [...path, 'path'])
  return { patterns: numbers(exact), exact, opposite: namesParameter(when) ? numbers(!exact) : [] }
}

function namesParameter(when: When | undefined): boolean {
  return namesIn(when).some((name) => name.startsWith('param.'))
}

function isPredicate(value: When[string]): value is Predicate {
  return value !== undefined
}

function isLiteral(predicate: Predicate): predicate is Exclude<Predicate, Operators> {
  return typeof predicate !== 'object' || Array.isArray(predicate)
}

function literalsOf(predicate: Exclude<Predicate, Operators>): readonly Scalar[] {
  return typeof predicate === 'object' ? predicate : [predicate]
}
