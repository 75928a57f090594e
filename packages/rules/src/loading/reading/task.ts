import { MessagePort } from 'node:worker_threads'
import type { Position } from '../../document/syntax.js'

/** The text that a thread reads, and the result that it sends. */
export interface ReadingTask {
  readonly text: string
  readonly format: 'yaml' | 'json'
  /** The shaped document, or the names of its files. */
  readonly result: 'document' | 'files'
  /** Takes the pieces of the result. */
  readonly pieces: MessagePort
}

/** A report of a thread. After `read`, the thread answers each message with paths by a report of their positions. */
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
