import { cutLine } from '../cut/cut-line.js'
import { detectFormat, type Detected, type FormatOptions } from '../cut/detect.js'
import type { LogRecord } from '../cut/record.js'
import { eachLine } from '../cut/lines.js'
import type { OpenLog, Source } from './open.js'

/** Counts of the lines of a log. */
export interface ReadCounts {
  lines: number
  readonly skipped: Map<string, number>
  /** Whether the compressed data is truncated. */
  truncated: boolean
}

/** Reads the records of one file. */
export class LogReader {
  readonly source: Source
  bytesRead = 0
  readonly #options: FormatOptions
  readonly #counts: ReadCounts
  #detected: Detected | undefined
  #log: OpenLog | undefined

  constructor(source: Source, options: FormatOptions, counts: ReadCounts) {
    this.source = source
    this.#options = options
    this.#counts = counts
  }

  /** The format. Undefined before the first batch. */
  get detected(): Detected | undefined {
    return this.#detected
  }

  /** Reads the next records, in the order of the file. Undefined at its end. */
  async next(): Promise<readonly LogRecord[] | undefined> {
    this.#log ??= this.source.open()
    const block = await this.#log.blocks.next()
    if (block.done === true) {
      if (this.#log.truncated()) this.#counts.truncated = true
      return undefined
    }
    const { text, bytesRead } = block.value
    this.bytesRead = bytesRead
    this.#detected ??= detectFormat(this.source.name, text, this.#options)
    return this.#cut(this.#detected, text)
  }

  /** Closes the file if it has not been read to its end. */
  async close(): Promise<void> {
    await this.#log?.blocks.return(undefined)
  }

  #cut({ cutter }: Detected, text: string): readonly LogRecord[] {
    const records: LogRecord[] = []
    const counts = this.#counts
    eachLine(text, (start, end) => {
      const cut = cutLine(cutter, text, start, end)
      if (cut === '') return
      counts.lines++
      if (typeof cut !== 'string') records.push(cut)
      else counts.skipped.set(cut, (counts.skipped.get(cut) ?? 0) + 1)
    })
    return records
  }
}
