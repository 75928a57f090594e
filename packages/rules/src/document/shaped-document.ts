import type { RuleDeclaration, RulesDocument } from './document.js'
import type { Findings, Place } from './findings.js'
import { documentShape, ruleShape } from './schema.js'
import { shaped } from './shape.js'
import type { ReadText } from './syntax.js'

/** A document, of which all but the rules has the shape that it should have. */
export interface ShapedDocument {
  readonly name: string | undefined
  /** All but the rules. Undefined if the document is refused for any rules. */
  readonly head: Omit<RulesDocument, 'rules'> | undefined
  readonly rules: readonly unknown[]
}

const mostRules = 10_000

/** Checks the shape of a document that has been read. */
export function shapeDocument(
  { value, findings: found }: ReadText,
  findings: Findings,
): ShapedDocument {
  if (found.length > 0) return { name: undefined, head: undefined, rules: [] }
  const known = memberOf(value, 'name')
  const name = typeof known === 'string' ? known : undefined
  const { rules: _, ...head } = shaped(documentShape, value, findings.place()) ?? {
    version: undefined,
  }
  const rules = rulesOf(value)
  if (rules.length > mostRules) {
    const most = mostRules.toLocaleString('en')
    findings.place('rules').error('SLUICE_RULES_TOO_LARGE', 'too many rules', rules.length, most)
    return { name, head: undefined, rules: [] }
  }
  return { name, head: head.version === undefined ? undefined : head, rules }
}

/** The names of the files of lists. */
export function namedFiles(document: unknown): readonly string[] {
  const lists = Object.values(recordOf(memberOf(document, 'lists')))
  const files = lists.map((list) => memberOf(list, 'file'))
  return [...new Set(files.filter((file) => typeof file === 'string'))]
}

/** Checks the shape of a rule. */
export function shapeRule(rule: unknown, place: Place): RuleDeclaration | undefined {
  // It gets one error instead of an error for each member.
  if (typeof memberOf(memberOf(rule, 'policies'), 'by') === 'string') {
    const expected = 'one rule for each policy: "by" chooses a single policy'
    return place.at('policies', 'by').error('SLUICE_RULES_OPTION_INVALID', 'by', expected)
  }
  return shaped(ruleShape, rule, place)
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
