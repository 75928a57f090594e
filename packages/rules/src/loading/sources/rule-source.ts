import { createHash } from 'node:crypto'
import { optional, shortDuration, type OptionReader } from '@sluice/core/internal'
import type { RulesText } from '../../document/syntax.js'

/** A document as its source delivers it, with the files that it names. */
export interface RulesContent extends RulesText {
  /** Changes if the text or one of the files changes. */
  readonly version: string
}

/** The source of a document. Implement it for a place that has no source in this package. */
export interface RuleSource {
  /** The place, for messages: a path or an address. */
  readonly location: string
  /** Milliseconds between two reads. 0 reads the source once. */
  readonly every: number
  /**
   * Each failed read doubles the time to the next one, up to this many milliseconds.
   *
   * @default `every`: failures change nothing
   */
  readonly maxPauseMs?: number
  /**
   * Reads the document and all its files. `since` is the version that the caller has: the result is undefined if it is still current. A read that
   * rejects changes no rules. `signal` is aborted when the rules are closed or the read takes more than 30 seconds. The next read begins after this
   * one has ended.
   */
  read(since: string | undefined, signal: AbortSignal): Promise<RulesContent | undefined>
  /** Calls `changed` when the document may have changed, which starts a read. Returns a function that stops it. */
  watch?(changed: () => void): () => void
}

/** The option `every` of a source. */
export function everyOption(absent: number): OptionReader<number> {
  return optional(shortDuration, absent)
}

/** Adds the version: a SHA-256 of the text and the files. */
export function contentOf({ text, format, files }: RulesText): RulesContent {
  const hash = createHash('sha256')
  for (const part of [format, text, ...[...files].flat()]) {
    // The lengths separate the parts: two different lists of parts have different hashes.
    hash.update(`${part.length}:`).update(part)
  }
  return { text, format, files, version: hash.digest('hex') }
}
