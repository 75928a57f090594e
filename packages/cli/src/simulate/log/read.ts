import type { LogTraits } from './detect.js'
import { merged } from './merge.js'
import type { Source } from './open.js'
import { byArrival, bySecond, createWindow, spreadOverSecond, type Window } from './order.js'
import { assertFew, count, LogReader, type ReadCounts, type ReaderOptions } from './reader.js'
import type { LogRecord } from './record.js'

/** The part of a log that has been read. */
export interface ReadProgress {
  readonly lines: number
  readonly bytesRead: number
  /** The size of all logs. Undefined if the size of one of them is unknown. */
  readonly bytes: number | undefined
}

export interface ReadOptions extends ReaderOptions {
  readonly disorderMs?: number | undefined
  readonly spread?: boolean | undefined
  readonly onProgress?: ((progress: ReadProgress) => void) | undefined
  /** Called once, before the first record. */
  onDetected(detected: LogTraits): void | Promise<void>
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
  readonly listEntry: number | undefined
  readonly limited: number
  readonly truncated: boolean
}

/** The number of records that can wait to be put in order. */
const maxHeld = 1_000_000

/** Reads logs once, and passes on their requests in the order of time. */
export async function readLog(sources: readonly Source[], options: ReadOptions): Promise<LogFacts> {
  const { onProgress, onRecord } = options
  const counts: ReadCounts = { lines: 0, bad: 0, skipped: new Map(), truncated: false }
  const readers = sources.map((source) => new LogReader(source, options, counts))
  let windows: readonly Window[] = []
  let detected: LogTraits | undefined
  let from = Number.NaN
  let to = Number.NaN
  let limited = 0
  let needsAddress = false

  function pass(record: LogRecord): void {
    if (Number.isNaN(from)) from = record.at
    to = record.at
    if (record.status === 429) limited++
    onRecord(record)
  }

  try {
    for await (const batch of merged(readers, await firstTimes(readers, options))) {
      if (detected === undefined) {
        const log = joined(readers)
        const noted = (ask: LogTraits['has']) => (field: string) => {
          const isThere = ask(field)
          needsAddress ||= field === 'ip' && isThere
          return isThere
        }
        detected = { ...log, has: noted(log.has), hasKey: noted(log.hasKey) }
        await options.onDetected(detected)
        windows = orderOf(detected, options, pass)
      }
      const [{ push }] = windows
      for (const record of batch) {
        if (needsAddress && record.address === undefined) {
          counts.bad++
          count(counts.skipped, 'no address')
        } else push(record)
      }
      onProgress?.({ lines: counts.lines, ...bytesOf(readers) })
    }
  } finally {
    for (const reader of readers) await reader.close()
  }
  if (detected === undefined) {
    throw new Error(`${sources.map(({ name }) => name).join(', ')}: the log is empty`)
  }
  for (const window of windows) window.flush()
  assertFew(counts, options)
  return {
    files: sources.map(({ name }) => name),
    format: detected.format,
    lines: counts.lines,
    skipped: counts.skipped,
    late: windows.reduce((sum, { late }) => sum + late, 0),
    from: Number.isNaN(from) ? '' : new Date(from).toISOString(),
    to: Number.isNaN(to) ? '' : new Date(to).toISOString(),
    spread: detected.wholeSeconds && (options.spread ?? true),
    time: detected.hasDurations ? 'arrival' : 'end',
    zoneless: detected.isZoneless,
    listEntry: detected.listEntry,
    limited,
    truncated: counts.truncated,
  }
}

/**
 * Creates the windows that put records in order. Servers write a line at the end of a request, so records of whole seconds are first spread over their
 * second by the time of their line, and then put in the order of their arrival.
 */
function orderOf(
  { wholeSeconds, hasDurations }: LogTraits,
  { disorderMs = 60_000, spread = true }: Pick<ReadOptions, 'disorderMs' | 'spread'>,
  pass: (record: LogRecord) => void,
): readonly Window[] {
  const limits = { disorderMs, maxHeld }
  const needsArrival = hasDurations || !wholeSeconds
  const arrivals = needsArrival ? [createWindow(limits, byArrival, pass)] : []
  if (!wholeSeconds) return arrivals
  const order = spread ? spreadOverSecond : bySecond
  return [createWindow(limits, order, arrivals[0]?.push ?? pass), ...arrivals]
}

/** The format and the earliest time in the beginning of each log that can be read twice. Its first line can be from the future. */
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
    reader.detected = beginning.detected
    if (batch.length > 0) times.set(reader, earliestOf(batch))
    await beginning.close()
  }
  return times
}

function earliestOf(batch: readonly LogRecord[]): number {
  return batch.reduce((earliest, { time }) => Math.min(earliest, time), Infinity)
}

/** The properties of all logs together. */
function joined(readers: readonly LogReader[]): LogTraits {
  const known = readers.flatMap(({ detected }) => detected ?? [])
  return {
    format: [...new Set(known.map(({ format }) => format))].join(', '),
    listEntry: known.find(({ listEntry }) => listEntry !== undefined)?.listEntry,
    isZoneless: known.some(({ isZoneless }) => isZoneless),
    wholeSeconds: known.some(({ wholeSeconds }) => wholeSeconds),
    hasDurations: known.some(({ hasDurations }) => hasDurations),
    has: (field) => known.every((log) => log.has(field)),
    hasKey: (field) => known.every((log) => log.hasKey(field)),
  }
}

function bytesOf(readers: readonly LogReader[]): Omit<ReadProgress, 'lines'> {
  const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0)
  const sizes = readers.flatMap(({ source }) => source.size ?? [])
  return {
    bytesRead: sum(readers.map(({ bytesRead }) => bytesRead)),
    bytes: sizes.length === readers.length ? sum(sizes) : undefined,
  }
}
