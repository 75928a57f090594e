import { createHash } from 'node:crypto'
import { readRule, type CompiledRule } from '../compile/rule.js'
import { checkCounts } from '../compile/counts.js'
import { invalidRules } from '../errors.js'
import { createVocabulary, type Vocabulary } from '../match/vocabulary.js'
import type { RuleDeclaration, RulesDocument } from './document.js'
import { Findings } from './findings.js'
import { documentShape, ruleShape } from './schema.js'
import { shaped } from './shape.js'
import { readText, type ReadText } from './syntax.js'

/** A document as a text, with the files that it names. */
export interface RulesText {
  readonly text: string
  readonly format: 'yaml' | 'json'
  /** The texts of the files, by the names that the document gives them. */
  readonly files: ReadonlyMap<string, string>
}

/** A document without mistakes. */
export interface ParsedRules {
  readonly document: RulesDocument
  readonly version: string
  /** @internal */
  readonly rules: readonly CompiledRule[]
  /** @internal */
  readonly vocabulary: Vocabulary
}

const mostRules = 10_000

/**
 * Reads a document of rules.
 *
 * @throws RulesError SLUICE_RULES_INVALID with all of its mistakes and their positions
 */
export function parseRules({ text, format, files }: RulesText): ParsedRules {
  return parsed(readText(text, format), () => versionOf(text, files), files)
}

/**
 * Reads a document that is an object, such as `defineRules` returns.
 *
 * @throws RulesError SLUICE_RULES_INVALID with all of its mistakes
 */
export function parsedOf(
  document: RulesDocument,
  files: ReadonlyMap<string, string> = new Map(),
): ParsedRules {
  const nowhere = { line: 0, column: 0 }
  const read = { value: document, findings: [], positionOf: () => nowhere }
  return parsed(read, () => versionOf(JSON.stringify(document), files), files)
}

function parsed(
  read: ReadText,
  version: () => string,
  files: ReadonlyMap<string, string>,
): ParsedRules {
  if (read.findings.length > 0) throw invalidRules(undefined, read.findings)
  const findings = new Findings(read.positionOf)
  const head = shaped(documentShape, read.value, [], findings)
  const name = nameOf(read.value)
  if (head === undefined) {
    for (const [number, rule] of rulesOf(read.value).entries()) {
      shaped(ruleShape, rule, ['rules', number], findings)
    }
    throw invalidRules(name, findings.list)
  }
  if (head.rules.length > mostRules) {
    const most = mostRules.toLocaleString('en')
    findings.error(['rules'], 'SLUICE_RULES_TOO_LARGE', 'too many rules', head.rules.length, most)
    throw invalidRules(name, findings.list)
  }
  const vocabulary = createVocabulary(head, files, findings)
  const declarations: RuleDeclaration[] = []
  const rules: CompiledRule[] = []
  for (const [number, declared] of head.rules.entries()) {
    const declaration = shaped(ruleShape, declared, ['rules', number], findings)
    if (declaration === undefined) continue
    declarations[number] = declaration
    const rule = readRule(declaration, number, head, files, vocabulary)
    if (rule !== undefined) rules.push(rule)
  }
  checkCounts(declarations, rules, findings)
  if (findings.hasErrors) throw invalidRules(name, findings.list)
  const { rules: _rules, ...rest } = head
  return { document: { ...rest, rules: declarations }, version: version(), rules, vocabulary }
}

/** The names of the files of lists and overrides. */
export function filesOf(text: string, format: 'yaml' | 'json'): readonly string[] {
  const read = readText(text, format)
  if (read.findings.length > 0) throw invalidRules(undefined, read.findings)
  const lists = Object.values(recordOf(memberOf(read.value, 'lists')))
  const overrides = rulesOf(read.value).map((rule) => memberOf(rule, 'overrides'))
  const files = [...lists, ...overrides].map((holder) => memberOf(holder, 'file'))
  return [...new Set(files.filter((file) => typeof file === 'string'))]
}

function versionOf(text: string, files: ReadonlyMap<string, string>): string {
  const hash = createHash('sha256').update(text)
  for (const [name, content] of [...files].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    hash.update(`\0${name}\0${content}`)
  }
  return hash.digest('hex').slice(0, 16)
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
