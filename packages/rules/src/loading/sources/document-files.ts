import { readFile, realpath, stat } from 'node:fs/promises'
import { dirname, isAbsolute, join } from 'node:path'
import { RulesError, rulesErrorFrom } from '../../errors.js'
import { reasonOf } from '../../errors/quoting.js'
import { filesOf } from '../../compile/parse.js'

/** A document and its files as they were read, with the state of each file at that time. */
export interface FilesRead {
  readonly text: string
  /** The texts of the files, by their names in the document. */
  readonly files: ReadonlyMap<string, string>
  readonly states: readonly FileState[]
}

export interface FileState {
  /** The path as it was stated: its symbolic links may point elsewhere later. */
  readonly path: string
  /** Equal for two reads of the same unchanged file. */
  readonly mark: string
  /** When the file, its name or its owner last changed. */
  readonly changedMs: number
}

/** A file of more than 100 MB is not a list for rules. */
const largestFile = 100 * 1024 * 1024

/**
 * Reads a document and the files that it names.
 *
 * @throws RulesError SLUICE_RULES_SOURCE_FAILED if a file is missing, too large or not UTF-8
 */
export async function readFiles(
  path: string,
  format: 'yaml' | 'json',
  signal: AbortSignal,
): Promise<FilesRead> {
  const document = await readText(path, signal)
  const files = new Map<string, string>()
  const states = [document.state]
  for (const name of await namesIn(document.text, format, signal)) {
    const file = await readText(await pathOf(name, path, document.realPath), signal)
    files.set(name, file.text)
    states.push(file.state)
  }
  return { text: document.text, files, states }
}

/** The current states of files that were read. Rejects if one is missing. */
export async function statesOf(paths: readonly string[]): Promise<readonly FileState[]> {
  return Promise.all(paths.map(async (path) => (await look(path)).state))
}

export interface FileText {
  readonly text: string
  readonly realPath: string
  readonly state: FileState
}

/** Reads a text that belongs to a document, or the document itself. */
export async function readText(path: string, signal: AbortSignal): Promise<FileText> {
  try {
    const { realPath, state, size, isFile } = await look(path)
    if (!isFile) throw failed(path, 'it is not a file')
    if (size > largestFile) throw failed(path, `it is larger than ${largestFile} bytes`)
    // The link is not followed again: the text belongs to the state.
    const bytes = await readFile(realPath, { signal })
    return { text: decode(bytes, path), realPath, state }
  } catch (error) {
    if (error instanceof RulesError) throw error
    throw failed(path, isMissing(error) ? 'there is no such file' : reasonOf(error), error)
  }
}

async function look(
  path: string,
): Promise<Omit<FileText, 'text'> & { readonly size: number; readonly isFile: boolean }> {
  const realPath = await realpath(path)
  const found = await stat(realPath, { bigint: true })
  const { dev, ino, size, mtimeNs, ctimeNs } = found
  return {
    realPath,
    size: Number(size),
    isFile: found.isFile(),
    state: {
      path,
      mark: [realPath, dev, ino, size, mtimeNs, ctimeNs].join(' '),
      // A copied file can have the modification time of its original. Its change time is that of the copy.
      changedMs: Number((mtimeNs > ctimeNs ? mtimeNs : ctimeNs) / 1_000_000n),
    },
  }
}

/** A text that does not parse names no files. The parser reports its mistakes. */
export async function namesIn(
  text: string,
  format: 'yaml' | 'json',
  signal: AbortSignal,
): Promise<readonly string[]> {
  // A large document takes a second to parse, and most documents name no files.
  if (!text.includes('file')) return []
  try {
    return filesOf(text, format)
  } catch {
    signal.throwIfAborted()
    return []
  }
}

/**
 * Files are relative to the document. If the document is behind a symbolic link, its real folder comes first: that of a Kubernetes ConfigMap has all files
 * of one version.
 */
export async function pathOf(name: string, path: string, realPath: string): Promise<string> {
  if (isAbsolute(name)) return name
  const beside = join(dirname(realPath), name)
  const isThere = await stat(beside).then(
    () => true,
    () => false,
  )
  return isThere ? beside : join(dirname(path), name)
}

function decode(bytes: Uint8Array, path: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (error) {
    throw failed(path, 'it is not UTF-8', error)
  }
}

export function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT'
}

function failed(path: string, reason: string, cause?: unknown): RulesError {
  return rulesErrorFrom(cause, 'SLUICE_RULES_SOURCE_FAILED', path, reason)
}
