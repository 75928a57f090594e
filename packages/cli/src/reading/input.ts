import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'

/** Reads the standard input at the first call. Further calls return the same text, because a stream can be read only once. */
export function inputOf(stdin: Readable): () => Promise<string> {
  let read: Promise<string> | undefined
  return () => (read ??= text(stdin))
}
