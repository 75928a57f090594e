import { filesOf, parsedInSlices, parseRules, type ParsedRules } from '../../compile/parse.js'
import type { RulesText } from '../../document/syntax.js'
import { longestText } from '../../document/syntax.js'
import { readInThread } from './reader.js'

/** To read a text of this length holds the event loop for about 10 ms. To start a thread for a shorter one costs more than it saves. */
const longestHere = 16 * 1024

/**
 * Reads a document, a large one in another thread first, which finds all mistakes. Its errors are those of `parseRules`, and of the compiler for a large one.
 * If no thread can be started, the document is read in this one.
 *
 * @param functions the names of the functions for the values of the document
 */
export async function parsedText(
  text: RulesText,
  functions?: readonly string[],
): Promise<ParsedRules> {
  if (!isLarge(text)) return parseRules(text)
  const { format, files } = text
  const report = await readInThread({ text: text.text, format, files, functions }, 'compiled')
  if (report === undefined) return parseRules(text)
  return parsedInSlices(report.shaped, report.findings, text)
}

/**
 * The names of the files of a document, a large one in another thread.
 *
 * @throws Error if the document cannot be read
 */
export async function namesOfFiles(
  { text, format }: Omit<RulesText, 'files'>,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const report = isLarge({ text })
    ? await readInThread({ text, format }, 'named', { signal })
    : undefined
  return report?.files ?? filesOf(text, format)
}

/** A text that is too large is refused without being read. */
function isLarge({ text }: Pick<RulesText, 'text'>): boolean {
  return text.length > longestHere && text.length <= longestText
}
