import type { RulesText } from './syntax.js'

/**
 * The reason why a text is incomplete; undefined if it can be complete. A file can be cut off because its writer was killed, and the rest
 * can still be a valid document: one with fewer rules, or with a limit of 10 that was 100.
 */
export function incompleteness(text: RulesText, before: RulesText | undefined): string | undefined {
  // An empty text is not a document without rules.
  if (text.text.trim() === '') return 'it is empty'
  if (before === undefined) return undefined
  if (!isObject(text) && isCutOff(text.text, before.text)) return cutOff('it', before.text)
  for (const [name, list] of text.files) {
    const known = before.files.get(name) ?? ''
    if (isCutOff(list, known)) return cutOff(name, known)
  }
  return undefined
}

/** The document, as undefined, and the names of its files that end within a line, so that a later one that is cut off could not be recognized. */
export function openEnds(text: RulesText): readonly (string | undefined)[] {
  const files = [...text.files].filter(([, list]) => list !== '' && endOf(list) === 0)
  const names = files.map(([name]) => name)
  return !isObject(text) && endOf(text.text) === 0 ? [undefined, ...names] : names
}

/** A JSON object that is cut off does not parse. */
function isObject({ text, format }: RulesText): boolean {
  return format === 'json' || text.trimStart().startsWith('{')
}

/** Whether the text lacks the end that it had before. */
function isCutOff(text: string, before: string): boolean {
  return text !== '' && endOf(text) < endOf(before)
}

/** How a text ends: 2 with the mark that ends a YAML document, 1 with a line break, 0 within a line. */
function endOf(text: string): 0 | 1 | 2 {
  if (/(?:^|\n)\.\.\.\s*$/.test(text)) return 2
  return text.endsWith('\n') ? 1 : 0
}

function cutOff(what: string, before: string): string {
  const end = endOf(before) === 2 ? '"..."' : 'a line break'
  return `${what} seems to be cut off: it does not end with ${end}, and did before. End it with ${end}`
}
