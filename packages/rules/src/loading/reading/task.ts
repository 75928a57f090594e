import { MessagePort } from 'node:worker_threads'
import type { Position } from '../../document/syntax.js'

/** What a thread has to read. */
export interface ReadingTask {
  readonly text: string
  readonly format: 'yaml' | 'json'
  /** The shaped document, or the names of its files. */
  readonly result: 'document' | 'files'
  /** Takes the pieces of the result. */
  readonly pieces: MessagePort
}

/** What a thread reports. The paths of places that it receives after that are answered by their positions. */
export type ReadingReport =
  | { readonly type: 'started' }
  /** All pieces of the result are sent. */
  | { readonly type: 'read' }
  | { readonly type: 'located'; readonly positions: readonly Position[] }
  | { readonly type: 'failed'; readonly reason: string }

export function isTask(value: unknown): value is ReadingTask {
  return (
    typeof value === 'object' &&
    value !== null &&
    'pieces' in value &&
    value.pieces instanceof MessagePort
  )
}

export function isReport<T extends ReadingReport['type']>(
  value: unknown,
  type: T,
): value is Extract<ReadingReport, { readonly type: T }> {
  return typeof value === 'object' && value !== null && 'type' in value && value.type === type
}
