import { parentPort, workerData } from 'node:worker_threads'
import { compileRules } from '../../compile/compile-rules.js'
import { checkedDocument } from '../../compile/parse.js'
import type { RulesText } from '../../document/syntax.js'
import { namedFiles, shapeDocument, type ShapedDocument } from '../../document/shaped-document.js'
import { readText } from '../../document/syntax.js'
import { RulesError, type Finding } from '../../errors.js'
import { reasonOf } from '../../errors/reason.js'
import { checkFunctions } from './value-functions.js'

/** The text that a thread reads. Without `files`, it reads only the names of the files. */
export interface ReadingTask extends Omit<RulesText, 'files'> {
  readonly files?: RulesText['files']
  /** The names of the functions for the values of the document. */
  readonly functions?: readonly string[] | undefined
}

export type ReadingReport =
  | { readonly type: 'started' }
  | { readonly type: 'named'; readonly files: readonly string[] }
  /** A document that was compiled, and all of its findings with their positions. */
  | {
      readonly type: 'compiled'
      readonly shaped: ShapedDocument
      readonly findings: readonly Finding[]
    }
  | { readonly type: 'failed'; readonly reason: string }

// The program of the thread that reads a large text.
const task: unknown = workerData
if (isTask(task)) {
  send({ type: 'started' })
  // An error of the work is a report: the thread itself has not failed.
  send(await read(task).catch((error: unknown) => ({ type: 'failed', reason: reasonOf(error) })))
}

async function read({ text, format, files, functions }: ReadingTask): Promise<ReadingReport> {
  const found = readText(text, format)
  if (files === undefined) {
    // A text that cannot be read names no files.
    return { type: 'named', files: found.findings.length > 0 ? [] : namedFiles(found.value) }
  }
  const shaped = shapeDocument(found)
  try {
    const checked = checkedDocument(shaped, found, files)
    if (functions !== undefined) checkFunctions(checked, functions)
    const { warnings } = await compileRules({ ...checked, version: '' })
    return { type: 'compiled', shaped, findings: warnings }
  } catch (error) {
    if (!(error instanceof RulesError)) throw error
    // The application's thread finds a mistake without a position again.
    return { type: 'compiled', shaped, findings: error.findings ?? [] }
  }
}

function send(report: ReadingReport): void {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
  parentPort?.postMessage(report)
}

function isTask(value: unknown): value is ReadingTask {
  return typeof value === 'object' && value !== null && 'text' in value && 'format' in value
}
