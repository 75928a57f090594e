import type { Finding } from '../errors.js'
import type { RuleDeclaration, RulesDocument } from './document.js'
import { Findings } from './findings.js'
import { documentShape, ruleShape } from './schema.js'
import { shaped } from './shape.js'
import type { Position, ReadText } from './syntax.js'

/** A document whose parts have the shape that they should have, or findings in their place. It is plain data, which another thread can send. */
export interface ShapedDocument {
  readonly name: string | undefined
  /** All but the rules. Undefined if the document is refused for any rules. */
  readonly head: Omit<RulesDocument, 'rules'> | undefined
  readonly rules: readonly ShapedRule[]
  /** The mistakes outside of the rules. */
  readonly findings: readonly Finding[]
}

export interface ShapedRule {
  readonly position: Position
  /** Undefined if its shape is wrong. */
  readonly declaration: RuleDeclaration | undefined
  readonly findings: readonly Finding[]
}

const mostRules = 10_000

/** Checks the shape of a document that has been read. */
export function shapeDocument(read: ReadText): ShapedDocument {
  if (read.findings.length > 0) {
    return { name: undefined, head: undefined, rules: [], findings: read.findings }
  }
  const name = nameOf(read.value)
  const found = new Findings(read)
  const whole = shaped(documentShape, read.value, [], found)
  if (whole === undefined) {
    const rules = rulesOf(read.value).map((rule, number) => shapeRule(rule, number, read))
    return { name, head: undefined, rules, findings: found.list }
  }
  const { rules, ...head } = whole
  if (rules.length > mostRules) {
    const most = mostRules.toLocaleString('en')
    found.error(['rules'], 'SLUICE_RULES_TOO_LARGE', 'too many rules', rules.length, most)
    return { name, head: undefined, rules: [], findings: found.list }
  }
  const shapes = rules.map((rule, number) => shapeRule(rule, number, read))
  return { name, head, rules: shapes, findings: found.list }
}

/** The names of the files of lists and overrides. */
export function namedFiles(document: unknown): readonly string[] {
  const lists = Object.values(recordOf(memberOf(document, 'lists')))
  const overrides = rulesOf(document).map((rule) => memberOf(rule, 'overrides'))
  const files = [...lists, ...overrides].map((holder) => memberOf(holder, 'file'))
  return [...new Set(files.filter((file) => typeof file === 'string'))]
}

function shapeRule(rule: unknown, number: number, read: ReadText): ShapedRule {
  const path = ['rules', number]
  const findings = new Findings(read)
  const position = read.positionOf(path)
  if (choosesSeveral(rule)) {
    const expected = 'one rule for each policy: "by" chooses a single policy'
    const place = [...path, 'policies', 'by']
    findings.error(place, 'SLUICE_RULES_OPTION_INVALID', 'by', expected)
    return { position, declaration: undefined, findings: findings.list }
  }
  const declaration = shaped(ruleShape, rule, path, findings)
  return { position, declaration, findings: findings.list }
}

/** Whether a rule has `by` within `policies`, which is not possible. It gets one error instead of an error for each member. */
function choosesSeveral(rule: unknown): boolean {
  return typeof memberOf(memberOf(rule, 'policies'), 'by') === 'string'
}

function nameOf(document: unknown): string | undefined {
  const name = memberOf(document, 'name')
  return typeof name === 'string' ? name : undefined
}

function rulesOf(document: unknown): readonly unknown[] {
  const rules = memberOf(document, 'rules')
  return Array.isArray(rules) ? rules : []
}

function memberOf(holder: unknown, name: string): unknown {
  const record = recordOf(holder)
  return Object.hasOwn(record, name) ? record[name] : undefined
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}
