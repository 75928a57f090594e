import { detectFormat, readLine, type Detected } from './detect.js'
import type { FormatOptions } from './format-options.js'
import { eachLine } from './lines.js'
import type { OpenLog, Source } from './open.js'
import { withoutPrefix } from './prefix.js'
import { marked } from './refusal.js'
import { BadLine, type LineReader, type LogRecord } from './record.js'

/** Counts of the lines of a log. */
export interface ReadCounts {
  lines: number
  bad: number
  readonly skipped: Map<string, number>
  /** Whether the compressed data is truncated. */
  truncated: boolean
}

export interface ReaderOptions extends FormatOptions {
  /** Called with the first line of each kind that does not fit, as a text for people. */
  readonly onBadLine?: ((text: string) => void) | undefined
}

const usualShare = 0.01
const batchLength = 500

/** @throws Error if more lines have another form than `skipBadLines` allows */
export function assertFew(
  { lines, bad, skipped }: ReadCounts,
  { skipBadLines = usualShare }: FormatOptions,
): void {
  if (bad <= skipBadLines * lines) return
  const kinds = [...skipped].map(([reason, count]) => `${count} ${reason}`).join(', ')
  throw new Error(
    `${bad} of ${lines} lines do not fit the format (${kinds}). --skip-bad-lines leaves out such lines, or --skip-bad-lines 5% up to a share.`,
  )
}

/** Reads the records of one file. */
export class LogReader {
  readonly source: Source
  bytesRead = 0
  /** The format. Undefined before the first batch. */
  detected: Detected | undefined
  readonly #options: ReaderOptions
  readonly #counts: ReadCounts
  #text = ''
  #at = 0
  #lines = 0
  #reader: LineReader | undefined
  #log: OpenLog | undefined

  constructor(source: Source, options: ReaderOptions, counts: ReadCounts) {
    this.source = source
    this.#options = options
    this.#counts = counts
  }

  /** Reads the next records, in the order of the file. Undefined at its end. */
  async next(): Promise<readonly LogRecord[] | undefined> {
    if (this.#at >= this.#text.length) {
      this.#log ??= this.source.open()
      const block = await this.#log.blocks.next()
      if (block.done === true) {
        if (this.#log.truncated()) this.#counts.truncated = true
        return undefined
      }
      this.#text = block.value.text
      this.#at = 0
      this.bytesRead = block.value.bytesRead
      this.detected ??= detectFormat(this.source.name, this.#text, this.#options)
      this.#reader ??= this.detected.open()
    }
    return this.#reader === undefined ? [] : this.#recordsIn(this.#text, this.#reader)
  }

  /** Closes the file if it has not been read to its end. */
  async close(): Promise<void> {
    await this.#log?.blocks.return(undefined)
  }

  /** Few at once, so that most of them are gone before the garbage collector copies them. */
  #recordsIn(text: string, reader: LineReader): readonly LogRecord[] {
    const records: LogRecord[] = []
    const counts = this.#counts
    this.#at = eachLine(text, this.#at, batchLength, (start, end) => {
      this.#lines++
      const line = text.slice(start, end)
      const inner = withoutPrefix(line, this.#options.prefix)
      const reading = readLine(reader, inner)
      if (reading === '') return
      counts.lines++
      if (typeof reading === 'string') count(counts.skipped, reading)
      else if (reading instanceof BadLine)
        this.#addBad(inner instanceof BadLine ? line : inner, reading)
      else records.push(reading)
    })
    return records
  }

  #addBad(line: string, { reason, at }: BadLine): void {
    this.#counts.bad++
    if (count(this.#counts.skipped, reason) > 1) return
    this.#options.onBadLine?.(
      `${this.source.name}, line ${this.#lines}: ${reason}\n${marked(line, at)}`,
    )
  }
}

/** Counts a line that is left out. */
export function count(counts: Map<string, number>, reason: string): number {
  const counted = (counts.get(reason) ?? 0) + 1
  counts.set(reason, counted)
  return counted
}
