import { extname } from 'node:path'
import type { RulesText } from '../../document/syntax.js'
import { RulesError } from '../../errors.js'
import { isMissing, namesIn, pathOf, readText } from './document-files.js'

/**
 * Reads a document and the list files that it names once, for `checkRules`. A missing file is left out, and `checkRules` reports it with
 * the line that names it.
 *
 * @param text the text of the document, if it does not come from the file itself, such as standard input; its files are relative to `path`
 * @throws RulesError SLUICE_RULES_SOURCE_FAILED if the document or one of its files cannot be read
 */
export async function readRulesFile(path: string, text?: string): Promise<RulesText> {
  const { signal } = new AbortController()
  const format = extname(path).toLowerCase() === '.json' ? 'json' : 'yaml'
  const document = text === undefined ? await readText(path, signal) : { text, realPath: path }
  const files = new Map<string, string>()
  for (const name of await namesIn(document.text, format, signal)) {
    try {
      files.set(name, (await readText(await pathOf(name, path, document.realPath), signal)).text)
    } catch (error) {
      if (!(error instanceof RulesError) || !isMissing(error.cause)) throw error
    }
  }
  return { text: document.text, format, files }
}
