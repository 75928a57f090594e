import type {
  Operators,
  Predicate,
  RuleDeclaration,
  RulesDocument,
  Scalar,
  When,
} from '../../src/document/document.js'
import { costOf, keyOf, roleOf, severalValues } from './keys.js'
import {
  anything,
  patternsOf,
  readingsFor,
  regexpOf,
  valueOf,
  type Look,
  type TrueRequest,
} from './request.js'

export interface Verdict {
  readonly refusedBy?: string
  /** The rule that needs a single value of a field, of which the request has several. */
  readonly failedBy?: string
  readonly tags: readonly string[]
  /** Rules with their roles, keys and costs. */
  readonly applied: readonly string[]
}

/** Walks the list, without an index, a cache or an order of predicates. */
export function interpret(document: RulesDocument, request: TrueRequest): Verdict {
  const tags: string[] = []
  const applied: { readonly rule: RuleDeclaration; readonly key: string }[] = []
  const verdict = (): Verdict => ({
    tags,
    applied: applied.map(
      ({ rule, key }) => `${rule.id} ${roleOf(rule)} ${key} ${costOf(rule, request)}`,
    ),
  })
  for (const rule of document.rules) {
    if (rule.enabled === false) continue
    const looks = looksOf(rule, document, request)
    const [look] = looks
    if (!isMatch(rule, looks)) continue
    if (rule.then !== undefined) {
      if (rule.shadow === true) continue
      if (rule.then === 'allow') return verdict()
      if (typeof rule.then === 'object' && 'tag' in rule.then) tags.push(rule.then.tag)
      else return { refusedBy: rule.id, tags, applied: [] }
      continue
    }
    const visible = applied.filter(
      ({ rule: other }) => rule.shadow === true || other.shadow !== true,
    )
    const count = rule.count ?? rule.id
    if (visible.some(({ rule: other }) => (other.count ?? other.id) === count)) continue
    const inGroup = visible.filter(
      ({ rule: { group } }) => group !== undefined && group === rule.group,
    )
    if (inGroup.some(({ rule: other }) => isCertain(other, document, request))) continue
    const key = keyOf(rule, look)
    if (key === severalValues) {
      if (rule.shadow === true) continue
      return { failedBy: rule.id, tags: [], applied: [] }
    }
    if (key !== undefined) applied.push({ rule, key })
  }
  return verdict()
}

/** Whether a rule matches a request. */
export function matches(
  rule: RuleDeclaration,
  document: RulesDocument,
  request: TrueRequest,
): boolean {
  return isMatch(rule, looksOf(rule, document, request))
}

function isMatch({ when = {}, then }: RuleDeclaration, looks: readonly Look[]): boolean {
  if (then !== 'allow') return looks.some((look) => holds(when, look))
  return looks.every((look) => holds(when, look)) && !isRepeated(when, looks[0].request)
}

function looksOf(
  rule: RuleDeclaration,
  document: RulesDocument,
  request: TrueRequest,
): readonly Look[] {
  const patterns = patternsOf(rule.when?.['path'])
  const about = { document, request, certain: rule.then === 'allow', patterns }
  return readingsFor(namesIn(rule.when ?? {}), about)
}

function namesIn({ any = [], all = [], not, ...fields }: When): readonly string[] {
  const inner = [...any, ...all, ...(not === undefined ? [] : [not])]
  return [...Object.keys(fields), ...inner.flatMap(namesIn)]
}

/** Whether the rule names a parameter or a cookie with several values. */
function isRepeated(when: When, { fields }: TrueRequest): boolean {
  return ['query.q', 'cookie.c'].some(
    (name) => JSON.stringify(when).includes(`"${name}"`) && Array.isArray(fields[name]),
  )
}

/** Whether a rule that matches the request matches it in all of its meanings. */
function isCertain(rule: RuleDeclaration, document: RulesDocument, request: TrueRequest): boolean {
  const { when = {} } = rule
  if (isRepeated(when, request)) return false
  const looks = looksOf(rule, document, request)
  if (looks.some(({ path }) => path === anything)) return false
  if (!looks.every((look) => holds(when, look))) return false
  return !JSON.stringify(when).includes('"param.') || holds(when, { ...looks[0], certain: true })
}

function holds({ any, all, not, ...fields }: When, look: Look): boolean {
  // All of them are tested, so their order does not matter.
  const results = Object.entries(fields).map(([name, predicate]) =>
    fits(name, predicate as Predicate, look),
  )
  if (any !== undefined) results.push(any.map((inner) => holds(inner, look)).includes(true))
  if (all !== undefined) results.push(!all.map((inner) => holds(inner, look)).includes(false))
  if (not !== undefined) results.push(!holds(not, opposite(look)))
  return !results.includes(false)
}

function fits(name: string, predicate: Predicate, look: Look): boolean {
  const value = valueOf(name, look)
  if (value === anything && !JSON.stringify(predicate).includes('"not"')) return !look.certain
  if (name === 'path' && !isOperators(predicate)) {
    const path = value as string | undefined
    return (
      path !== undefined &&
      patternsOf(predicate).some((pattern) => regexpOf(pattern, look.certain).test(path))
    )
  }
  if (isOperators(predicate)) {
    return Object.entries(predicate).every(([operator, operand]) => {
      if (operator === 'present') return isPresent(name, operand === true, look)
      if (operator === 'not') return !fits(name, operand as Predicate, opposite(look))
      return each(value, look, (one) =>
        passes(name, one, operator as keyof Operators, operand, look),
      )
    })
  }
  const literals = Array.isArray(predicate) ? predicate : [predicate]
  return each(value, look, (one) =>
    literals.some((literal: Scalar) => equal(name, one, literal, look)),
  )
}

function opposite(look: Look): Look {
  return { ...look, certain: !look.certain }
}

function each(
  value: Scalar | readonly string[] | typeof anything | undefined,
  { certain }: Look,
  test: (one: Scalar) => boolean,
): boolean {
  if (value === undefined) return false
  if (value === anything) return !certain
  if (!Array.isArray(value)) return test(value as Scalar)
  return value.some((one) => one !== '' && test(one))
}

/** Whether the request has the field, or lacks it if it should. Every request has a path. */
function isPresent(name: string, wanted: boolean, look: Look): boolean {
  const value = valueOf(name, wanted ? look : { ...look, certain: look.certain && !isInPath(name) })
  if (value === anything) return !look.certain
  if (look.certain && Array.isArray(look.request.fields[name])) return false
  if (Array.isArray(value)) return value.some((one) => (one !== '') === wanted)
  return (value !== undefined) === wanted
}

function isInPath(name: string): boolean {
  return /^pa(?:th$|ram\.)/.test(name)
}

function equal(name: string, value: Scalar, literal: Scalar, look: Look): boolean {
  if (name === 'ip') return within(String(value), String(literal))
  if (typeof literal === 'number' && typeof value === 'string')
    return /^-?\d+(\.\d+)?$/.test(value) && Number(value) === literal
  return spelled(name, value, look) === spelled(name, literal, look)
}

function passes(
  name: string,
  value: Scalar,
  operator: keyof Operators,
  operand: unknown,
  look: Look,
): boolean {
  const text = String(spelled(name, value, look))
  const number =
    typeof value === 'number' || /^-?\d+(\.\d+)?$/.test(String(value)) ? Number(value) : NaN
  const list = (): readonly string[] =>
    (look.document.lists?.[String(operand).slice(1)].entries ?? []).map(String)
  const texts = (
    typeof operand === 'string' && operand.startsWith('$') ? list() : [operand].flat()
  ).map((one) => String(spelled(name, one as string, look)))
  switch (operator) {
    case 'in':
      return look.document.lists?.[String(operand).slice(1)].kind === 'address'
        ? list().some((range) => within(String(value), range))
        : texts.includes(text)
    case 'from':
      return number >= Number(operand)
    case 'to':
      return number <= Number(operand)
    case 'above':
      return number > Number(operand)
    case 'below':
      return number < Number(operand)
    case 'prefix':
      return texts.some((one) => text.startsWith(one))
    case 'suffix':
      return texts.some((one) => text.endsWith(one))
    case 'contains':
      return texts.some((one) => text.includes(one))
    case 'matches':
      return new RegExp(String(operand), folds(name, look) ? 'i' : '').test(text)
    default:
      throw new Error(`no operator ${operator}`)
  }
}

function isOperators(predicate: Predicate): predicate is Operators {
  return typeof predicate === 'object' && !Array.isArray(predicate)
}

function folds(name: string, look: Look): boolean {
  const always = ['method', 'host'].includes(name)
  return always || (/^(?:path|route)$|^param\./.test(name) && !look.certain)
}

function spelled(name: string, value: Scalar, look: Look): Scalar {
  return folds(name, look) && typeof value === 'string' ? value.toLowerCase() : value
}

/** IPv4 only: the generator uses no other addresses. */
function within(address: string, range: string): boolean {
  const [base, bits = '32'] = range.split('/')
  const size = 2 ** (32 - Number(bits))
  return Math.floor(numberOf(address) / size) === Math.floor(numberOf(base) / size)
}

function numberOf(address: string): number {
  return address.split('.').reduce((number, byte) => number * 256 + Number(byte), 0)
}
