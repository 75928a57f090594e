import { createHash } from 'node:crypto'
import { checkCounts } from './counts.js'
import { readRule, type CompiledRule } from './rule.js'
import { warn } from './warnings.js'
import { invalidRules } from '../errors.js'
import { reasonOf } from '../errors/quoting.js'
import { createVocabulary, type Vocabulary } from '../match/vocabulary.js'
import type { RuleDeclaration, RulesDocument } from '../document/document.js'
import { Findings } from '../document/findings.js'
import { namedFiles, shapeDocument, shapeRule } from '../document/shaped-document.js'
import { readText, type ReadText, type RulesText } from '../document/syntax.js'

/** A valid document. */
export interface ParsedRules {
  readonly document: RulesDocument
  readonly version: string
  /** @internal */
  readonly rules: readonly CompiledRule[]
  /** @internal */
  readonly vocabulary: Vocabulary
}

/**
 * Parses a document of rules. It blocks the event loop for about a third of a millisecond for each rule.
 *
 * @throws RulesError SLUICE_RULES_INVALID with all of its mistakes and their positions
 */
export function parseRules({ text, format, files }: RulesText): ParsedRules {
  return parsed(readText(text, format), text, files)
}

/**
 * Parses a document that is an object, such as the result of `defineRules`. Like `parseRules`, it blocks the event loop.
 *
 * @throws RulesError SLUICE_RULES_INVALID with all of its mistakes
 */
export function parsedOf(
  document: RulesDocument,
  files: ReadonlyMap<string, string> = new Map(),
): ParsedRules {
  const text = jsonOf(document)
  return parsed({ value: document, findings: [], positionOf: () => nowhere }, text, files)
}

const nowhere = { line: 0, column: 0 }

/**
 * The text of a document that is an object.
 *
 * @throws RulesError SLUICE_RULES_INVALID if a value in it has no JSON, such as a bigint or an object that contains itself
 */
export function jsonOf(document: RulesDocument): string {
  const findings = new Findings({ positionOf: () => nowhere })
  try {
    const text: string | undefined = JSON.stringify(document)
    // In JavaScript, the document can be absent.
    if (text !== undefined) return text
    const expected = 'a document: a text in YAML, or an object'
    findings.place().error('SLUICE_RULES_OPTION_INVALID', document, expected)
  } catch (error) {
    findings.place().error('SLUICE_RULES_SYNTAX', 'JSON', `${reasonOf(error).split('\n')[0]}.`)
  }
  throw invalidRules(undefined, findings.list)
}

/** @throws RulesError SLUICE_RULES_INVALID with all mistakes */
function parsed(read: ReadText, text: string, files: ReadonlyMap<string, string>): ParsedRules {
  const findings = new Findings(read, read.findings)
  const { name, head, rules: written } = shapeDocument(read, findings)
  const vocabulary = head && createVocabulary(head, files, findings)
  const rules: CompiledRule[] = []
  const declarations = written.map((rule, number) => {
    const declaration = shapeRule(rule, findings.place('rules', number))
    const compiled = declaration && vocabulary && readRule(declaration, number, vocabulary)
    if (compiled !== undefined) rules.push(compiled)
    return declaration
  })
  if (head === undefined || vocabulary === undefined) throw invalidRules(name, findings.list)
  checkCounts(declarations, rules, findings)
  if (findings.hasErrors) throw invalidRules(name, findings.list)
  // A rule that is left out without a finding would be a missing limit.
  if (rules.length < declarations.length)
    throw new Error('a rule was not compiled, without a mistake')
  warn(rules, findings)
  const document = {
    ...head,
    rules: declarations.filter((rule): rule is RuleDeclaration => rule !== undefined),
  }
  return { document, rules, vocabulary, version: versionOf(text, files) }
}

/** The names of the list files of a document. Like `parseRules`, it blocks the event loop. */
export function filesOf(text: string, format: 'yaml' | 'json'): readonly string[] {
  const read = readText(text, format)
  if (read.findings.length > 0) throw invalidRules(undefined, read.findings)
  return namedFiles(read.value)
}

function versionOf(text: string, files: ReadonlyMap<string, string>): string {
  const hash = createHash('sha256').update(text)
  for (const [name, content] of [...files].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    hash.update(`\0${name}\0${content}`)
  }
  return hash.digest('hex').slice(0, 16)
}
