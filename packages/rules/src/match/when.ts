import { rangeOfEntry, type Range } from '@sluice/core/http'
import type { Predicate, When } from '../document/document.js'
import type { Place } from '../document/findings.js'
import type { OwnPatterns } from './fields.js'
import type { Field, Request } from './reading.js'
import { anything, isSeveral } from './value.js'
import { isLiteral, predicateTest } from './predicates/predicate.js'
import {
  allOf,
  anyOf,
  duringTest,
  notOf,
  pathTest,
  workOfValues,
  type Mismatch,
  type Test,
} from './predicates/conditions.js'
import type { Vocabulary } from './vocabulary.js'

/** A requirement by which a rule can be found: the path fits a pattern, or a field has one of the values. */
export interface Anchor {
  readonly by: 'path' | Field
  /** The numbers of the patterns, or the values in the spelling of the field. */
  readonly members: readonly (string | number)[]
  /** The ranges of addresses. */
  readonly ranges: readonly Range[]
}

/** The requirements of a rule for a request. */
export interface Requirements {
  readonly test: Test
  /** That of the predicates at the top that read no value of the application. */
  readonly withoutValues: Test
  /** The fields of which a request can have several values. */
  readonly repeatable: readonly Field[]
  readonly namesPath: boolean
  readonly namesParameter: boolean
  /** The requirements by which the rule can be found. */
  readonly anchors: readonly Anchor[]
  /** The values of the application that it needs. */
  readonly values: readonly Field[]
  /** The patterns of `path` at the top. The rule applies to no other paths, so these define its parameters. */
  readonly own: OwnPatterns
  /** The parameters of these patterns. */
  readonly parameters: ReadonlySet<string>
}

/**
 * Whether a rule matches a request. A limit does if it matches one reading. An exemption does if it matches all of them, and if the client sent no parameter of
 * the query and no cookie that the rule names several times: the application may use another one of the values.
 */
export function matches(when: Requirements, request: Request, isExemption: boolean): boolean {
  for (const reading of request.readings(when.namesPath)) {
    // One reading decides: one that matches a limit, or one that does not match an exemption.
    if (when.test.holds(reading, isExemption) !== isExemption) return !isExemption
  }
  return isExemption && !when.repeatable.some((field) => hasList(field, request))
}

/** Whether the client sent several values. Those of a host are the names that servers can take, and are compared one by one. */
function hasList(field: Field, request: Request): boolean {
  return field.name !== 'host' && isSeveral(request.peek(field))
}

/** The same, as far as the values of the application do not matter. */
export function mayMatch(when: Requirements, request: Request, isExemption: boolean): boolean {
  const { withoutValues, namesPath } = when
  try {
    for (const reading of request.readings(namesPath)) {
      if (withoutValues.holds(reading, isExemption)) return true
    }
    return false
  } catch {
    return true
  }
}

/**
 * Whether a limit that matches a request matches it in all of its meanings. Only then does the rule exclude others of its group: a client could otherwise avoid a
 * limit by a second meaning of its URL. In another letter case, a parameter can be another one.
 */
export function matchesSurely(when: Requirements, request: Request): boolean {
  const { test, repeatable, namesPath, namesParameter } = when
  if (repeatable.some((field) => isSeveral(request.peek(field)))) return false
  return request
    .readings(namesPath)
    .every(
      (reading) =>
        !(namesPath && reading.pathFor(false).text === anything) &&
        test.holds(reading, false) &&
        (!namesParameter || test.holds(reading, true)),
    )
}

/** The first predicate that keeps a rule from matching a request. Undefined if the client sent several values of a parameter or a cookie. */
export function mismatchOf(
  when: Requirements,
  request: Request,
  isExemption: boolean,
): Mismatch | undefined {
  const failing = request
    .readings(when.namesPath)
    .find((reading) => !when.test.holds(reading, isExemption))
  return failing && when.test.mismatch(failing, isExemption)
}

/** Levels of `any`, `all` and `not` within each other. */
const deepest = 8

/** Reads the predicates of a rule. */
export function readWhen(when: When = {}, place: Place, vocabulary: Vocabulary): Requirements {
  const { fields, findings, patternsOf, tests: known } = vocabulary
  const { path } = when
  const texts = isLiteral(path) ? [path].flat() : []
  const own = patternsOf(texts, place.at('path'))
  const parameters = parametersOf(texts.map(String))
  const required = read(when, place, 1)
  const names = [...new Set(namesIn(when))]
  const named = names.flatMap((name) => fields.field(name, own, parameters) ?? [])
  return {
    test: allOf(required),
    withoutValues: allOf(required.filter(({ work }) => work < workOfValues)),
    own,
    parameters,
    repeatable: named.filter(({ name }) => /^(?:query|cookie)\.|^host$/.test(name)),
    namesPath: named.some(({ inPath }) => inPath !== undefined),
    namesParameter: named.some(({ inPath, type }) => inPath !== undefined && type !== 'path'),
    anchors: [
      ...(own.length === 0 ? [] : [{ by: 'path' as const, members: own, ranges: [] }]),
      ...named.flatMap((field) => anchorOf(field, when[field.name])),
    ],
    values: named.filter(({ check }) => check !== undefined),
  }

  function read({ any, all, not, ...predicates }: When, at: Place, level: number): readonly Test[] {
    if (level > deepest) {
      const most = `${deepest} levels of "any", "all" and "not"`
      at.error('SLUICE_RULES_TOO_LARGE', 'this nests too deeply', undefined, most)
      return []
    }
    const tests: (Test | undefined)[] = Object.entries(predicates).map(([name, predicate]) =>
      isPredicate(predicate) ? fieldTestOf(name, predicate, at.at(name)) : undefined,
    )
    const within = (inner: When, ...steps: (string | number)[]): Test =>
      allOf(read(inner, at.at(...steps), level + 1))
    if (any !== undefined) tests.push(anyOf(any.map((inner, i) => within(inner, 'any', i))))
    all?.forEach((inner, i) => tests.push(within(inner, 'all', i)))
    if (not !== undefined) tests.push(notOf(within(not, 'not'), JSON.stringify(not)))
    return tests.filter((test) => test !== undefined)
  }

  function fieldTestOf(name: string, predicate: Predicate, at: Place): Test | undefined {
    if (name === 'during') return duringOf(predicate, at, vocabulary)
    // Its mistakes are reported once.
    if (predicate === path && texts.length > 0) return pathTest(vocabulary.patterns, own)
    const field = fields.field(name, own, parameters)
    if (field === undefined) {
      return at.unknown(name, fields.names, 'SLUICE_RULES_FIELD_UNKNOWN', name, fields.names)
    }
    const key = `${field.slot} ${JSON.stringify(predicate)}`
    const found = findings.list.length
    const test = known.get(key) ?? predicateTest(field, predicate, at, vocabulary)
    // One with mistakes is read again, so that each of them has its position.
    if (test !== undefined && findings.list.length === found) known.set(key, test)
    return test
  }
}

function duringOf(predicate: Predicate, place: Place, vocabulary: Vocabulary): Test | undefined {
  if (isLiteral(predicate)) {
    const names = [predicate].flat().map(String)
    const schedules = names.map((name) => vocabulary.scheduleOf(name, place))
    return duringTest(
      names,
      schedules.filter((schedule) => schedule !== undefined),
    )
  }
  const { not } = predicate
  if (not === undefined || Object.keys(predicate).length > 1) {
    return place.error(
      'SLUICE_RULES_OPTION_INVALID',
      predicate,
      'the name of a schedule, or { not: … }',
    )
  }
  const inner = duringOf(not, place.at('not'), vocabulary)
  return inner && notOf(inner, `during ${isLiteral(not) ? [not].flat().join(', ') : ''}`)
}

function anchorOf(field: Field, predicate: When[string]): readonly Anchor[] {
  const { inPath, name, spell = String } = field
  // A rule of GET matches HEAD as well.
  if (inPath !== undefined || name === 'method' || !isLiteral(predicate)) return []
  const texts = [predicate].flat().map(String)
  if (field.type !== 'address') return [{ by: field, members: texts.map(spell), ranges: [] }]
  const found = texts.map(rangeOfEntry)
  const ranges = found.filter((range) => typeof range === 'object')
  return [{ by: field, members: ranges.map(({ first, last }) => `${first}-${last}`), ranges }]
}

/** The names of the parameters in patterns. */
function parametersOf(patterns: readonly string[]): ReadonlySet<string> {
  const found = patterns.flatMap((pattern) => [...pattern.matchAll(/(?<!\\):([A-Za-z_]\w*)/g)])
  return new Set(found.map(([, name]) => name))
}

/** The fields that predicates name, at all levels. */
function namesIn({ any = [], all = [], not, ...fields }: When): readonly string[] {
  const inner = [...any, ...all, ...(not === undefined ? [] : [not])]
  return [...Object.keys(fields), ...inner.flatMap(namesIn)]
}

function isPredicate(value: When[string]): value is Predicate {
  return value !== undefined
}
