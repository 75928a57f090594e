import { detectFormat, marked, readLine, type Detected, type FormatOptions } from './detect.js'
import { eachLine } from './lines.js'
import { merged } from './merge.js'
import type { OpenLog, Source } from './open.js'
import { createReorder, createSpread, type Stage } from './order.js'
import { BadLine, type LineReader, type LogRecord } from './record.js'

/** The part of a log that has been read. */
export interface ReadProgress {
  readonly lines: number
  readonly bytesRead: number
  /** The size of all logs. Undefined if the size of one of them is unknown. */
  readonly bytes: number | undefined
}

export interface ReadOptions extends FormatOptions {
  readonly disorderMs?: number | undefined
  readonly spread?: boolean | undefined
  readonly onProgress?: ((progress: ReadProgress) => void) | undefined
  /** Called with the first line of each kind that does not fit, as a text for people. */
  readonly onBadLine?: ((text: string) => void) | undefined
  /** Called once, before the first record. */
  onDetected(detected: Detected): void | Promise<void>
  /** Called with each request, in the order of `record.at`. */
  onRecord(record: LogRecord): void
}

/** The facts about a log that has been read. */
export interface LogFacts {
  readonly files: readonly string[]
  readonly format: string
  readonly lines: number
  readonly skipped: ReadonlyMap<string, number>
  readonly late: number
  readonly from: string
  readonly to: string
  readonly spread: boolean
  readonly time: 'arrival' | 'end'
  /** Whether times stated no zone. */
  readonly zoneless: boolean
  readonly limited: number
  readonly truncated: boolean
}

/** Counts of the lines of a log. */
interface ReadCounts {
  lines: number
  bad: number
  readonly skipped: Map<string, number>
  /** Whether the compressed data is truncated. */
  truncated: boolean
}

const usualShare = 0.01
const batchLength = 500

/** The number of records that can wait to be put in order. */
const maxHeld = 1_000_000

/** Reads logs once, and passes on their requests in the order of time. */
export async function readLog(sources: readonly Source[], options: ReadOptions): Promise<LogFacts> {
  const { onProgress, onRecord } = options
  const counts: ReadCounts = { lines: 0, bad: 0, skipped: new Map(), truncated: false }
  const readers = sources.map((source) => new LogReader(source, options, counts))
  let order: Ordering | undefined
  let detected: Detected | undefined
  let from = Number.NaN
  let to = Number.NaN
  let limited = 0

  function pass(record: LogRecord): void {
    if (Number.isNaN(from)) from = record.at
    to = record.at
    if (record.status === 429) limited++
    onRecord(record)
  }

  try {
    for await (const batch of merged(readers, await firstTimes(readers, options))) {
      if (order === undefined) {
        detected = joined(readers)
        await options.onDetected(detected)
        order = ordering(detected, options, pass)
      }
      for (let i = 0; i < batch.length; i++) order.push(batch[i])
      onProgress?.({ lines: counts.lines, ...bytesOf(readers) })
    }
  } finally {
    for (const reader of readers) await reader.close()
  }
  if (order === undefined || detected === undefined) {
    throw new Error(`${sources.map(({ name }) => name).join(', ')}: the log is empty`)
  }
  order.flush()
  assertFew(counts, options)
  return {
    files: sources.map(({ name }) => name),
    format: detected.format,
    lines: counts.lines,
    skipped: counts.skipped,
    late: order.late(),
    from: Number.isNaN(from) ? '' : new Date(from).toISOString(),
    to: Number.isNaN(to) ? '' : new Date(to).toISOString(),
    spread: order.spread,
    time: detected.hasDurations ? 'arrival' : 'end',
    zoneless: detected.isZoneless,
    limited,
    truncated: counts.truncated,
  }
}

interface Ordering {
  push(record: LogRecord): void
  flush(): void
  late(): number
  readonly spread: boolean
}

/**
 * Creates the stages that put records in order. Servers write a line at the end of a request, so records of whole seconds are first spread over their
 * second by the time of their line, and then put in the order of their arrival.
 */
function ordering(
  { wholeSeconds, hasDurations }: Detected,
  { disorderMs = 60_000, spread = true }: Pick<ReadOptions, 'disorderMs' | 'spread'>,
  pass: (record: LogRecord) => void,
): Ordering {
  const stages: Stage[] = []
  let next = pass
  if (hasDurations || !wholeSeconds) {
    const reorder = createReorder({ disorderMs, maxHeld }, next)
    stages.unshift(reorder)
    next = wholeSeconds ? reorder.push : (record) => reorder.push(arrived(record))
  }
  if (wholeSeconds) {
    const seconds = createSpread({ disorderMs, maxHeld, spread }, next)
    stages.unshift(seconds)
    next = seconds.push
  }
  return {
    push: next,
    flush: () => stages.forEach((stage) => stage.flush()),
    late: () => stages.reduce((sum, { late }) => sum + late, 0),
    spread: wholeSeconds && spread,
  }
}

function arrived(record: LogRecord): LogRecord {
  record.at = record.time - (record.durationMs ?? 0)
  return record
}

/** The earliest time in the beginning of each log that can be read twice. Its first line can be from the future. */
async function firstTimes(
  readers: readonly LogReader[],
  options: ReadOptions,
): Promise<ReadonlyMap<LogReader, number>> {
  const times = new Map<LogReader, number>()
  if (readers.length === 1) return times
  for (const reader of readers) {
    if (!reader.source.rereadable) continue
    const counts = { lines: 0, bad: 0, skipped: new Map<string, number>(), truncated: false }
    const beginning = new LogReader(reader.source, { ...options, onBadLine: undefined }, counts)
    const batch = (await beginning.next()) ?? []
    if (batch.length > 0) times.set(reader, earliestOf(batch))
    await beginning.close()
  }
  return times
}

function earliestOf(batch: readonly LogRecord[]): number {
  return batch.reduce((earliest, { time }) => Math.min(earliest, time), Infinity)
}

/** The properties of all logs together. */
function joined(readers: readonly LogReader[]): Detected {
  const known = readers.flatMap(({ detected }) => detected ?? [])
  return {
    format: known[0].format,
    open: known[0].open,
    isZoneless: known.some(({ isZoneless }) => isZoneless),
    wholeSeconds: known.some(({ wholeSeconds }) => wholeSeconds),
    hasDurations: known.some(({ hasDurations }) => hasDurations),
    has: (field) => known.every((log) => log.has(field)),
  }
}

function bytesOf(readers: readonly LogReader[]): Omit<ReadProgress, 'lines'> {
  let bytesRead = 0
  let bytes: number | undefined = 0
  for (const reader of readers) {
    bytesRead += reader.bytesRead
    bytes =
      reader.source.size === undefined
        ? undefined
        : bytes === undefined
          ? undefined
          : bytes + reader.source.size
  }
  return { bytesRead, bytes }
}

/** @throws Error if more lines have another form than `skipBadLines` allows */
function assertFew(
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
  readonly #options: ReadOptions
  readonly #counts: ReadCounts
  #text = ''
  #at = 0
  #lines = 0
  #reader: LineReader | undefined
  #log: OpenLog | undefined

  constructor(source: Source, options: ReadOptions, counts: ReadCounts) {
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
      const reading = readLine(reader, line)
      if (reading === '') return
      counts.lines++
      if (typeof reading === 'string') count(counts.skipped, reading)
      else if (reading instanceof BadLine) this.#addBad(line, reading)
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

function count(counts: Map<string, number>, reason: string): number {
  const counted = (counts.get(reason) ?? 0) + 1
  counts.set(reason, counted)
  return counted
}
