import { Composer, isCollection, isMap, isNode, isScalar, Lexer, LineCounter, Parser } from 'yaml'
import type { CST, Document, Pair } from 'yaml'
import type { Finding, RulesErrorCode, RulesErrorDetails } from '../errors.js'
import { rulesMessage } from '../errors.js'
import { missingAnchor } from './missing-anchor.js'
import { jsonMistake } from './json-mistake.js'

/** A place in a document: names of members, and positions in lists. */
export type Path = readonly (string | number)[]

/** Finds places of a document in its text. */
export interface Places {
  /** The line and the column of a place, counted from 1, or of the nearest place around it. */
  positionOf(path: Path): Position
}

/** The text of a document, and the files that it names. */
export interface RulesText {
  readonly text: string
  readonly format: 'yaml' | 'json'
  /** The texts of the files, by the names that the document gives them. */
  readonly files: ReadonlyMap<string, string>
}

/** A text of rules that has been read. */
export interface ReadText extends Places {
  readonly value: unknown
  readonly findings: readonly Finding[]
}

export interface Position {
  readonly line: number
  readonly column: number
}

/** A longer text is refused without being read. */
export const longestText: number = 10 * 1024 * 1024
const deepest = 64
/** A document needs a few aliases. Nested aliases can multiply its size. */
const mostAliases = 100

/** Reads YAML or JSON. JSON is read as YAML as well, for the positions of its values. */
export function readText(text: string, format: 'yaml' | 'json'): ReadText {
  if (text.length > longestText) {
    return failed('SLUICE_RULES_TOO_LARGE', 'the document is too large', undefined, '10 MB')
  }
  if (text.trim() === '') {
    return failed('SLUICE_RULES_SYNTAX', 'a document of rules', 'it is empty')
  }
  const lines = new LineCounter()
  const tokens = tokensOf(text, lines)
  if (tokens === undefined) {
    return failed(
      'SLUICE_RULES_TOO_LARGE',
      'the document nests too deeply',
      undefined,
      `${deepest} levels`,
    )
  }
  return format === 'json' ? readJson(text, tokens, lines) : readYaml(tokens, lines)
}

function readYaml(tokens: readonly CST.Token[], lines: LineCounter): ReadText {
  const { document, more } = composed(tokens, lines)
  const positionOf = positions(document, lines)
  if (more !== undefined) {
    const position = at(lines, more)
    return broken('YAML', 'a second document begins', position, positionOf)
  }
  const [error] = document.errors
  if (error !== undefined) {
    return broken('YAML', firstLine(error.message), at(lines, error.pos[0]), positionOf)
  }
  try {
    let hasAnchors = false
    const value: unknown = document.toJS({
      maxAliasCount: mostAliases,
      onAnchor: () => (hasAnchors = true),
    })
    if (hasAnchors && isCyclic(value, new Set(), new Set())) {
      return broken(
        'YAML',
        'an alias repeats a part of the document that contains the alias',
        start,
        positionOf,
      )
    }
    return { value, findings: [], positionOf }
  } catch (error) {
    const missing = missingAnchor(document)
    if (missing !== undefined) {
      return broken('YAML', missing.problem, at(lines, missing.offset), positionOf)
    }
    return broken('YAML', error instanceof Error ? error.message : String(error), start, positionOf)
  }
}

/** Whether a value contains itself. Its text would be infinite. */
function isCyclic(value: unknown, around: Set<object>, known: Set<object>): boolean {
  if (typeof value !== 'object' || value === null || known.has(value)) return false
  if (around.has(value)) return true
  around.add(value)
  if (Object.values(value).some((member) => isCyclic(member, around, known))) return true
  around.delete(value)
  known.add(value)
  return false
}

function readJson(text: string, tokens: readonly CST.Token[], lines: LineCounter): ReadText {
  const { document } = composed(tokens, lines)
  const positionOf = positions(document, lines)
  const repeated = document.errors.find(({ code }) => code === 'DUPLICATE_KEY')
  if (repeated !== undefined) {
    return broken('JSON', firstLine(repeated.message), at(lines, repeated.pos[0]), positionOf)
  }
  try {
    return { value: JSON.parse(text.replace(/^\uFEFF/, '')), findings: [], positionOf }
  } catch (error) {
    const position = at(lines, jsonMistake(text, error, document))
    return broken(
      'JSON',
      error instanceof Error ? error.message : String(error),
      position,
      positionOf,
    )
  }
}

/** Splits a text into tokens. Undefined if it nests too deeply: the composer recurses. */
function tokensOf(text: string, lines: LineCounter): readonly CST.Token[] | undefined {
  const parser = new Parser(lines.addNewLine)
  const tokens: CST.Token[] = []
  lines.addNewLine(0)
  for (const lexeme of new Lexer().lex(text)) {
    for (const token of parser.next(lexeme)) tokens.push(token)
    if (parser.stack.length > deepest) return undefined
  }
  for (const token of parser.end()) tokens.push(token)
  return tokens
}

interface Composed {
  readonly document: Document.Parsed
  /** Where a second document begins. */
  readonly more: number | undefined
}

function composed(tokens: readonly CST.Token[], lines: LineCounter): Composed {
  const composer = new Composer({ lineCounter: lines, uniqueKeys: true, logLevel: 'silent' })
  let document: Document.Parsed | undefined
  let more: number | undefined
  for (const next of composer.compose(tokens, true)) {
    if (document === undefined) document = next
    else more ??= next.range[0]
  }
  if (document === undefined) throw new Error('The composer always yields a document.')
  return { document, more }
}

const start: Position = { line: 1, column: 1 }

function positions(document: Document.Parsed, lines: LineCounter): (path: Path) => Position {
  return function positionOf(path) {
    let offset = document.contents?.range?.[0] ?? 0
    let node: unknown = document.contents
    for (const step of path) {
      const place = placeWithin(node, step, document)
      if (place === undefined) break
      offset = place.offset ?? offset
      node = place.node
    }
    return at(lines, offset)
  }
}

function placeWithin(
  holder: unknown,
  step: string | number,
  document: Document.Parsed,
): { readonly offset: number | undefined; readonly node: unknown } | undefined {
  const node =
    isNode(holder) && 'source' in holder && 'resolve' in holder
      ? resolved(holder, document)
      : holder
  if (isMap(node)) {
    const pair = node.items.find(
      (item: Pair) => isScalar(item.key) && String(item.key.value) === String(step),
    )
    if (pair === undefined) return undefined
    return { offset: rangeOf(pair.key) ?? rangeOf(pair.value), node: pair.value }
  }
  if (isCollection(node) && typeof step === 'number') {
    const item: unknown = node.items[step]
    return item === undefined ? undefined : { offset: rangeOf(item), node: item }
  }
  return undefined
}

function resolved(alias: object, document: Document.Parsed): unknown {
  const resolve: unknown = 'resolve' in alias ? alias.resolve : undefined
  return typeof resolve === 'function' ? resolve.call(alias, document) : undefined
}

function rangeOf(node: unknown): number | undefined {
  return isNode(node) ? node.range?.[0] : undefined
}

function at(lines: LineCounter, offset: number): Position {
  const { line, col } = lines.linePos(offset)
  return { line: Math.max(1, line), column: Math.max(1, col) }
}

function failed<C extends RulesErrorCode>(code: C, ...details: RulesErrorDetails<C>): ReadText {
  const message = rulesMessage(code, ...details)
  return {
    value: undefined,
    findings: [{ severity: 'error', ...start, path: '', code, message }],
    positionOf: () => start,
  }
}

function broken(
  format: string,
  problem: string,
  position: Position,
  positionOf: (path: Path) => Position,
): ReadText {
  const code = 'SLUICE_RULES_SYNTAX'
  const message = rulesMessage(code, format, problem.endsWith('.') ? problem : `${problem}.`)
  return {
    value: undefined,
    findings: [{ severity: 'error', ...position, path: '', code, message }],
    positionOf,
  }
}

function firstLine(message: string): string {
  return message.split('\n')[0].replace(/ at line \d+, column \d+:?$/, '')
}
