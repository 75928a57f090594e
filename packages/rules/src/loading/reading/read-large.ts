import {
  filesOf,
  parsedInSlices,
  parseRules,
  type ParsedRules,
  type RulesText,
} from '../../document/parse.js'
import type { ShapedDocument } from '../../document/shaped-document.js'
import { longestText, type Places } from '../../document/syntax.js'
import { createPause } from '../../slices.js'
import { startReader, type Reader } from './reader.js'

/** To read a text of this length holds the event loop for about 10 ms. To start a thread for a shorter one costs more than it saves. */
const longestHere = 16 * 1024

/**
 * Reads a document, a large one in another thread. Its errors are those of `parseRules`. If no thread can be started, the document is read in this one.
 *
 * @param use the thread ends after this, because it knows the positions of mistakes that are found later
 */
export async function withParsedRules<T>(
  text: RulesText,
  use: (parsed: ParsedRules) => Promise<T>,
): Promise<T> {
  const reader = await readerFor(text, 'document')
  if (reader === undefined) return use(parseRules(text))
  try {
    const shaped: ShapedDocument = { name: undefined, head: undefined, rules: [], findings: [] }
    const pause = createPause()
    await reader.receive(shaped, pause)
    return await use(await parsedInSlices(shaped, placesOf(shaped, reader), text, pause))
  } finally {
    reader.end()
  }
}

/**
 * The names of the files of a document, a large one in another thread.
 *
 * @throws Error if the document cannot be read
 */
export async function namesOfFiles(
  text: Omit<RulesText, 'files'>,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const reader = await readerFor(text, 'files', signal)
  if (reader === undefined) return filesOf(text.text, text.format)
  try {
    const names: string[] = []
    await reader.receive(names, createPause())
    return names
  } finally {
    reader.end()
  }
}

async function readerFor(
  { text, format }: Omit<RulesText, 'files'>,
  result: 'document' | 'files',
  signal?: AbortSignal,
): Promise<Reader | undefined> {
  // A text that is too large is refused without being read.
  if (text.length <= longestHere || text.length > longestText) return undefined
  return startReader({ text, format, result, signal })
}

/** The position of a rule is known. The thread finds the positions of its members, only if a finding needs them. */
function placesOf({ rules }: ShapedDocument, { locate }: Reader): Places {
  return {
    positionOf([, number]) {
      const rule = typeof number === 'number' ? rules[number] : undefined
      return rule?.position ?? { line: 1, column: 1 }
    },
    locate,
  }
}
