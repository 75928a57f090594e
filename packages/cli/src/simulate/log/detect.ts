import { forwardedFor, listKey } from '../keys.js'
import type { FormatOptions } from './format-options.js'
import { formatNames, formatsOf, statedFormat } from './formats.js'
import { jsonNames } from './json.js'
import { eachLine, longestLine } from './lines.js'
import { withoutPrefix } from './prefix.js'
import {
  BadLine,
  type Format,
  type LineReader,
  type LogRecord,
  type Meaning,
  type Reading,
} from './record.js'
import { addressAdvice, notFitting, unclearOf, type Trial } from './refusal.js'
import { readZone } from './time.js'

/** The findings in the first lines of a log. */
export interface LogTraits {
  readonly format: string
  /** Whether all times are whole seconds. */
  readonly wholeSeconds: boolean
  /** Whether the lines have the durations of requests, so that their arrival is known. */
  readonly hasDurations: boolean
  /** Whether a time stated no zone. */
  readonly isZoneless: boolean
  /**
   * Whether the log has a field. Lines in JSON can have any, but a log whose first lines have no address or host has none.
   *
   * @throws Error if the field is the address, and more than one can be the client
   */
  has(field: string): boolean
  /** The same for a key. A list of addresses is a key if it is clear which entry is the client. */
  hasKey(field: string): boolean
  /** The entry of the lists that is the client, counted from the end, as the shortest list shows it. */
  readonly listEntry: number | undefined
}

/** The format of a log. */
export interface Detected extends LogTraits {
  open(): LineReader
}

const sampledLines = 1000

/**
 * Chooses the format that all of the first lines have.
 *
 * @throws Error with the first line that does not fit, and the place at which it stops fitting
 */
export function detectFormat(name: string, text: string, options: FormatOptions): Detected {
  const meaning = meaningOf(options)
  const { skipBadLines = 0 } = options
  const trials: Trial[] = []
  for (const format of candidates(options)) {
    const trial = tried(format, meaning, text, options)
    trials.push(trial)
    if (trial.bad === 0 && trial.records.length > 0) break
  }
  if (trials.every(({ lines }) => lines === 0)) throw new Error(`${name}: the log is empty`)
  const fitting = trials.filter(
    ({ records, bad, lines }) => records.length > 0 && bad <= skipBadLines * lines,
  )
  const [best] = fitting.toSorted((a, b) => a.bad - b.bad)
  if (best === undefined) throw new Error(notFitting(name, text, trials, meaning, options))
  const { format, records, reader } = best
  const unclear = unclearOf(name, format.name, records, options)
  const canList = options.address === undefined && reader.has(listKey)
  const listEntry = canList ? entryOf(records) : undefined

  function has(field: string): boolean {
    if (field === 'ip' && unclear !== undefined) throw new Error(unclear)
    if (field === listKey && records.some(({ isForwarded }) => isForwarded)) {
      throw new Error(
        `${name}: ${field} is a list of addresses, which is not a key. Use the key ip. ${addressAdvice}`,
      )
    }
    if (field === 'ip') return records.some(({ address }) => address !== undefined)
    return field === 'host' ? records.some(({ host }) => host !== undefined) : reader.has(field)
  }

  return {
    format: format.name,
    listEntry,
    // A reader keeps state about earlier lines, so each log has a new one.
    open: () => format.open({ ...meaning, list: listEntry }),
    wholeSeconds: records.every(
      ({ time, durationMs = 0 }) => time % 1000 === 0 || (time - durationMs) % 1000 === 0,
    ),
    hasDurations: records.some(({ durationMs }) => durationMs !== undefined),
    isZoneless: reader.isZoneless(),
    has,
    hasKey(field) {
      const { address = 'remote' } = meaning
      const isChosen = listEntry !== undefined || address !== 'remote'
      return field === listKey && isChosen ? reader.has(field) : has(field)
    },
  }
}

/** Each proxy adds one entry to the list, so the client is the first entry that all lists have. A single entry beside lists says nothing. */
function entryOf(records: readonly LogRecord[]): number | undefined {
  const lengths = records.map((record) => record.header(forwardedFor)?.split(',').length ?? 0)
  const least = Math.min(...lengths)
  return least > 1 || Math.max(...lengths) === 1 ? least : undefined
}

function meaningOf({ address, zone = 'UTC' }: FormatOptions): Meaning {
  const zoneMs = readZone(zone)
  if (zoneMs === undefined)
    throw new Error(`--zone ${zone}: expected an offset such as +02:00, or UTC`)
  return { address: address === 'last' ? 1 : address, zoneMs }
}

function candidates({
  format = 'auto',
  logFormat,
  nginxFormat,
  fields = {},
}: FormatOptions): readonly Format[] {
  const isText = logFormat !== undefined && /[$%]/.test(logFormat)
  const stated = nginxFormat ?? (isText ? logFormat : undefined)
  if (format === 'nginx' && stated === undefined) {
    throw new Error("--format nginx needs the log_format, such as --nginx-format '$remote_addr …'")
  }
  // The format that the user writes is the only one, unless another is named.
  if (stated !== undefined && (format === 'auto' || format === 'nginx'))
    return [statedFormat(stated, 'nginx')]
  const name = logFormat !== undefined && !isText ? logFormat : format
  if (!formatNames.includes(name)) {
    throw new Error(
      `there is no format ${JSON.stringify(name)}. Formats: ${formatNames.join(', ')}`,
    )
  }
  const all = formatsOf(fields)
  if (name === 'auto') return all
  return name === 'json'
    ? all.filter((one) => jsonNames.includes(one.name))
    : all.filter((one) => one.name === name)
}

/** Reads a line without its prefix. Skips a line that is too long. */
export function readLine(reader: LineReader, line: string | BadLine): Reading {
  if (line instanceof BadLine) return line
  return line.length > longestLine ? 'too long' : reader.read(line)
}

/** Reads the first lines, up to one that does not fit. */
function tried(
  format: Format,
  meaning: Meaning,
  text: string,
  { skipBadLines = 0, prefix }: Pick<FormatOptions, 'skipBadLines' | 'prefix'>,
): Trial {
  const reader = format.open(meaning)
  const records: LogRecord[] = []
  const skipped = new Map<string, number>()
  let [lines, bad, number] = [0, 0, 0]
  let first: Trial['first']
  eachLine(text, 0, Infinity, (start, end) => {
    number++
    if (lines >= sampledLines || (bad > 0 && skipBadLines === 0)) return
    const whole = text.slice(start, end)
    const inner = withoutPrefix(whole, prefix)
    const line = inner instanceof BadLine ? whole : inner
    const reading = readLine(reader, inner)
    if (reading === '') return
    lines++
    if (reading instanceof BadLine) {
      bad++
      first ??= { number, line, why: reading }
    } else if (typeof reading === 'string') skipped.set(reading, (skipped.get(reading) ?? 0) + 1)
    else records.push(reading)
  })
  return { format, reader, lines, records, bad, first, skipped }
}
