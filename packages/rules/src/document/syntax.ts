import {
  Composer,
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  Lexer,
  LineCounter,
  Parser,
  type CST,
  type Document,
} from 'yaml'
import {
  rulesMessage,
  type Finding,
  type RulesErrorCode,
  type RulesErrorDetails,
} from '../errors.js'
import { reasonOf } from '../errors/quoting.js'

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
  const lines = new LineCounter()
  if (text.length > longestText) {
    return broken(0, 'SLUICE_RULES_TOO_LARGE', 'the document is too large', undefined, '10 MB')
  }
  if (text.trim() === '') {
    return broken(0, 'SLUICE_RULES_SYNTAX', 'a document of rules', 'it is empty.')
  }
  const tokens = tokensOf(text, lines)
  if (tokens === undefined) {
    const most = `${deepest} levels`
    return broken(0, 'SLUICE_RULES_TOO_LARGE', 'the document nests too deeply', undefined, most)
  }
  const composer = new Composer({ lineCounter: lines, uniqueKeys: true })
  const [document, second] = composer.compose(tokens, true, text.length)
  const positionOf = (path: Path): Position => at(offsetOf(document, path))
  const isYaml = format === 'yaml'
  if (isYaml && second !== undefined) return wrong('a second document begins', second.range[0])
  const error = document.errors.find(({ code }) => isYaml || code === 'DUPLICATE_KEY')
  if (error !== undefined) return wrong(firstLine(error.message), error.pos[0])
  try {
    if (!isYaml) {
      return { value: JSON.parse(text.replace(/^\uFEFF/, '')), findings: [], positionOf }
    }
    let hasAnchors = false
    const value: unknown = document.toJS({
      maxAliasCount: mostAliases,
      onAnchor: () => (hasAnchors = true),
    })
    if (!hasAnchors || !isDeeper(value, deepest)) return { value, findings: [], positionOf }
    return wrong('an alias repeats a part of the document that contains the alias', 0)
  } catch (error) {
    const reason = reasonOf(error)
    const [, offset] = /\bposition (\d+)/.exec(reason) ?? []
    // The error of an alias without an anchor has no position.
    const [, alias] = /^Unresolved alias .*: (.*)$/.exec(reason) ?? []
    const known = alias === undefined ? document.errors.at(0)?.pos[0] : text.indexOf(`*${alias}`)
    return wrong(reason, Number(offset ?? known ?? 0))
  }

  function at(offset: number): Position {
    const { line, col } = lines.linePos(offset)
    return { line: Math.max(1, line), column: Math.max(1, col) }
  }

  function wrong(problem: string, offset: number): ReadText {
    const sentence = problem.endsWith('.') ? problem : `${problem}.`
    return broken(offset, 'SLUICE_RULES_SYNTAX', format.toUpperCase(), sentence)
  }

  function broken<C extends RulesErrorCode>(
    offset: number,
    code: C,
    ...details: RulesErrorDetails<C>
  ): ReadText {
    const position = at(offset)
    const message = rulesMessage(code, ...details)
    const findings: Finding[] = [{ severity: 'error', ...position, path: '', code, message }]
    return { value: undefined, findings, positionOf: () => position }
  }
}

/** The tokens of a text. Undefined if it nests too deeply for the composer, which recurses. */
function tokensOf(text: string, lines: LineCounter): readonly CST.Token[] | undefined {
  const parser = new Parser(lines.addNewLine)
  const tokens: CST.Token[] = []
  lines.addNewLine(0)
  for (const lexeme of new Lexer().lex(text)) {
    for (const token of parser.next(lexeme)) tokens.push(token)
    if (parser.stack.length > deepest) return undefined
  }
  return [...tokens, ...parser.end()]
}

/** Whether a value nests deeper, as one that contains itself does. */
function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  return levels === 0 || Object.values(value).some((member) => isDeeper(member, levels - 1))
}

function offsetOf(document: Document.Parsed, path: Path): number {
  let offset = document.contents?.range?.[0] ?? 0
  let node: unknown = document.contents
  for (const step of path) {
    if (isAlias(node)) node = node.resolve(document)
    if (isMap(node)) {
      const pair = node.items.find(({ key }) => isScalar(key) && String(key.value) === String(step))
      if (pair === undefined) break
      offset = startOf(pair.key) ?? startOf(pair.value) ?? offset
      node = pair.value
    } else {
      const item: unknown = isSeq(node) && typeof step === 'number' ? node.items[step] : undefined
      if (item === undefined) break
      offset = startOf(item) ?? offset
      node = item
    }
  }
  return offset
}

function startOf(node: unknown): number | undefined {
  return isNode(node) ? node.range?.[0] : undefined
}

function firstLine(message: string): string {
  return message.split('\n')[0].replace(/ at line \d+, column \d+:?$/, '')
}
