import { parentPort, workerData, type MessagePort } from 'node:worker_threads'
import { namedFiles, shapeDocument } from '../../document/shaped-document.js'
import { readText, type Path, type ReadText } from '../../document/syntax.js'
import { reasonOf } from '../../errors/reason.js'
import { piecesOf } from './pieces.js'
import { isTask, type ReadingReport, type ReadingTask } from './task.js'

// The program of the thread that reads a large text.
const task: unknown = workerData
if (isTask(task)) {
  report(() => ({ type: 'started' }))
  report(() => read(task))
}

function read({ text, format, result, pieces }: ReadingTask): ReadingReport {
  const found = readText(text, format)
  const whole = result === 'document' ? shapeDocument(found) : filesIn(found)
  for (const piece of piecesOf(whole)) send(pieces, piece)
  parentPort?.on('message', (paths: readonly Path[]) => {
    report(() => ({ type: 'located', positions: paths.map(found.positionOf) }))
  })
  return { type: 'read' }
}

/** A text that cannot be read names no files. */
function filesIn({ value, findings }: ReadText): readonly string[] {
  return findings.length > 0 ? [] : namedFiles(value)
}

/** An error of the work is a report: the thread itself has not failed. */
function report(work: () => ReadingReport): void {
  let done: ReadingReport
  try {
    done = work()
  } catch (error) {
    done = { type: 'failed', reason: reasonOf(error) }
  }
  send(parentPort, done)
}

function send(port: MessagePort | null, message: object): void {
  port?.postMessage(message)
}
