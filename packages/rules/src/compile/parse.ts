import { createHash } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import { checkCounts } from './counts.js'
import { readRule, type CompiledRule } from './rule.js'
import {
  invalidRules,
  rulesMessage,
  type Finding,
  type RulesError,
  type RulesErrorCode,
  type RulesErrorDetails,
} from '../errors.js'
import { reasonOf } from '../errors/reason.js'
import { createVocabulary, type Vocabulary } from '../match/vocabulary.js'
import { createPause, finished, finishedInSlices, type Slices } from '../slices.js'
import type { RuleDeclaration, RulesDocument } from '../document/document.js'
import { Findings } from '../document/findings.js'
import { namedFiles, shapeDocument, type ShapedDocument } from '../document/shaped-document.js'
import {
  readText,
  type Path,
  type Places,
  type Position,
  type ReadText,
  type RulesText,
} from '../document/syntax.js'

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
 * Parses a document of rules. It blocks the event loop for about a tenth of a millisecond for each rule. A server uses `loadRules`, which parses in
 * another thread.
 *
 * @throws RulesError SLUICE_RULES_INVALID with all of its mistakes and their positions
 */
export function parseRules({ text, format, files }: RulesText): ParsedRules {
  return parsed(readText(text, format), () => versionOf(text, files), files)
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
  const read = { value: document, findings: [], positionOf: () => nowhere }
  return parsed(read, () => versionOf(text, files), files)
}

const nowhere: Position = { line: 0, column: 0 }

/**
 * The text of a document that is an object.
 *
 * @throws RulesError SLUICE_RULES_INVALID if a value in it has no JSON, such as a bigint or an object that contains itself
 */
export function jsonOf(document: RulesDocument): string {
  let text: string | undefined
  try {
    text = JSON.stringify(document)
  } catch (error) {
    const [reason] = reasonOf(error).split('\n')
    throw noJson('SLUICE_RULES_SYNTAX', 'JSON', `${reason}.`)
  }
  // In JavaScript, the document can be absent.
  if (text !== undefined) return text
  throw noJson('SLUICE_RULES_OPTION_INVALID', document, 'a document: a text in YAML, or an object')
}

function noJson<C extends RulesErrorCode>(code: C, ...details: RulesErrorDetails<C>): RulesError {
  const message = rulesMessage(code, ...details)
  return invalidRules(undefined, [{ severity: 'error', ...nowhere, path: '', code, message }])
}

function parsed(
  read: ReadText,
  version: () => string,
  files: ReadonlyMap<string, string>,
): ParsedRules {
  return { ...checkedDocument(shapeDocument(read), read, files), version: version() }
}

/** @throws RulesError SLUICE_RULES_INVALID with all mistakes */
export function checkedDocument(
  shaped: ShapedDocument,
  places: Places,
  files: ReadonlyMap<string, string>,
): Omit<ParsedRules, 'version'> {
  const findings = new Findings(places)
  const checked = finished(check(shaped, files, findings))
  if (checked === undefined) throw invalidRules(shaped.name, findings.list)
  return checked
}

/**
 * Reads the rest of a document that another thread has compiled, with all of its findings.
 *
 * @throws RulesError if an error is among the findings
 */
export async function parsedInSlices(
  shaped: ShapedDocument,
  complete: readonly Finding[],
  { text, files }: RulesText,
): Promise<ParsedRules> {
  const findings = new Findings({ positionOf: (path) => positionOfRule(shaped, path) }, complete)
  if (findings.hasErrors) throw invalidRules(shaped.name, findings.list)
  const checked = await finishedInSlices(check(shaped, files, findings), createPause())
  await setImmediate()
  if (checked === undefined) throw invalidRules(shaped.name, findings.list)
  return { ...checked, version: versionOf(text, files) }
}

function positionOfRule({ rules }: ShapedDocument, [, number]: Path): Position {
  const rule = typeof number === 'number' ? rules[number] : undefined
  return rule?.position ?? { line: 1, column: 1 }
}

/** Compiles the rules. Undefined after errors. */
function* check(
  { head, rules: shapes, findings: found }: ShapedDocument,
  files: ReadonlyMap<string, string>,
  findings: Findings,
): Slices<Omit<ParsedRules, 'version'> | undefined> {
  findings.addAll(found)
  if (head === undefined) {
    for (const { findings: ofRule } of shapes) findings.addAll(ofRule)
    return undefined
  }
  const vocabulary = createVocabulary(head, files, findings)
  const declarations: RuleDeclaration[] = []
  const rules: CompiledRule[] = []
  for (const [number, { declaration, findings: ofRule }] of shapes.entries()) {
    yield
    findings.addAll(ofRule)
    if (declaration === undefined) continue
    declarations[number] = declaration
    const rule = readRule(declaration, number, head, files, vocabulary)
    if (rule !== undefined) rules.push(rule)
  }
  yield* checkCounts(declarations, rules, findings)
  if (findings.hasErrors) return undefined
  // A rule that is left out without a finding would be a missing limit.
  if (rules.length < shapes.length) throw new Error('a rule was not compiled, without a mistake')
  return { document: { ...head, rules: declarations }, rules, vocabulary }
}

/** The names of the list and override files of a document. Like `parseRules`, it blocks the event loop. */
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
