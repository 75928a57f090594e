import { visible } from '../../text/visible.js'
import { formatNames, formatsOf, statedFormat } from './formats.js'
import { jsonNames, lackingOf, type FieldNames } from './json.js'
import { eachLine, longestLine } from './lines.js'
import { severalAddresses } from './request.js'
import {
  BadLine,
  type Format,
  type LineReader,
  type LogRecord,
  type Meaning,
  type Reading,
} from './record.js'
import { readZone } from './time.js'
import { readAddress, textOf } from './values.js'

/** The format of a log, and the meaning of its fields. */
export interface FormatOptions {
  /**
   * The name of the format, such as `'combined'`. `'auto'` finds the one that all of the first 1,000 lines have.
   *
   * @default 'auto'
   */
  readonly format?: string | undefined
  /** The name of a format, a `log_format` of nginx (`'$remote_addr …'`) or a `LogFormat` of Apache (`'%h …'`). */
  readonly logFormat?: string | undefined
  /** The `log_format` of nginx, for the format `nginx`. */
  readonly nginxFormat?: string | undefined
  /** The names of fields in JSON lines, if they differ from the usual names. */
  readonly fields?: FieldNames | undefined
  /**
   * The address that is the client if a line has a list of forwarded addresses: `'remote'` is that of the connection, `'first'` and `'last'` are entries of the
   * list, and a number is the number of proxies, as `address: { proxies: 2 }` of the server. Without it, a log with such lists is an error.
   */
  readonly address?: 'remote' | 'first' | 'last' | number | undefined
  /**
   * The zone of times that state none, such as `'+02:00'`.
   *
   * @default 'UTC'
   */
  readonly zone?: string | undefined
  /**
   * The share of lines, from 0 to 1, that can have another form. All of the first 1,000 lines have the format unless this is set.
   *
   * @default 0.01
   */
  readonly skipBadLines?: number | undefined
}

/** The format of a log, found from its first lines. */
export interface Detected {
  readonly format: string
  open(): LineReader
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
}

const sampledLines = 1000

/** A larger share of lines with forwarded addresses says that a proxy is in front of the server. */
const forwardedShare = 0.1

interface Trial {
  readonly format: Format
  readonly reader: LineReader
  readonly lines: number
  readonly records: readonly LogRecord[]
  readonly bad: number
  readonly first:
    | { readonly number: number; readonly line: string; readonly why: BadLine }
    | undefined
  readonly skipped: ReadonlyMap<string, number>
}

/**
 * Chooses the format that all of the first lines have.
 *
 * @throws Error with the first line that does not fit, and the place at which it stops fitting
 */
export function detectFormat(name: string, text: string, options: FormatOptions): Detected {
  const meaning = meaningOf(options)
  const { skipBadLines } = options
  const trials: Trial[] = []
  for (const format of candidates(options)) {
    const trial = tried(format, meaning, text, skipBadLines ?? 0)
    trials.push(trial)
    if (trial.bad === 0 && trial.records.length > 0) break
  }
  if (trials.every(({ lines }) => lines === 0)) throw new Error(`${name}: the log is empty`)
  const fitting = trials.filter(
    ({ records, bad, lines }) => records.length > 0 && bad <= (skipBadLines ?? 0) * lines,
  )
  const [best] = fitting.toSorted((a, b) => a.bad - b.bad)
  if (best === undefined) throw new Error(notFitting(name, text, trials, options))
  const { format, records, reader } = best
  const unclear = unclearOf(name, format.name, records, options)
  return {
    format: format.name,
    // A reader keeps state about earlier lines, so each log has a new one.
    open: () => format.open(meaning),
    wholeSeconds: records.every(
      ({ time, durationMs = 0 }) => time % 1000 === 0 || (time - durationMs) % 1000 === 0,
    ),
    hasDurations: records.some(({ durationMs }) => durationMs !== undefined),
    isZoneless: reader.isZoneless(),
    has(field) {
      if (field === 'ip' && unclear !== undefined) throw new Error(unclear)
      if (field === 'header.x-forwarded-for' && records.some(({ isForwarded }) => isForwarded)) {
        throw new Error(
          `${name}: ${field} is a list of addresses, which is not a key. Use the key ip. ${addressAdvice}`,
        )
      }
      if (field === 'ip') return records.some(({ address }) => address !== undefined)
      return field === 'host' ? records.some(({ host }) => host !== undefined) : reader.has(field)
    },
  }
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

/** Reads a line. Skips a line that is too long. */
export function readLine(reader: LineReader, line: string): Reading {
  return line.length > longestLine ? 'too long' : reader.read(line)
}

/** Reads the first lines, up to one that does not fit. */
function tried(format: Format, meaning: Meaning, text: string, skipBadLines: number): Trial {
  const reader = format.open(meaning)
  const records: LogRecord[] = []
  const skipped = new Map<string, number>()
  let [lines, bad, number] = [0, 0, 0]
  let first: Trial['first']
  eachLine(text, 0, Infinity, (start, end) => {
    number++
    if (lines >= sampledLines || (bad > 0 && skipBadLines === 0)) return
    const line = text.slice(start, end)
    const reading = readLine(reader, line)
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

/** Why the client is unclear: the addresses of the log can be those of proxies, or of servers. */
function unclearOf(
  name: string,
  format: string,
  records: readonly LogRecord[],
  { address, logFormat, nginxFormat, format: stated = 'auto' }: FormatOptions,
): string | undefined {
  const forwarded = records.filter(({ isForwarded }) => isForwarded).length
  if (address === undefined && forwarded > forwardedShare * records.length) {
    return `${name}: ${forwarded} of the first ${records.length} requests have a list of forwarded addresses, so the client is in the list or is the address of the connection. ${addressAdvice}`
  }
  if (
    stated !== 'auto' ||
    logFormat !== undefined ||
    nginxFormat !== undefined ||
    !format.startsWith('vhost')
  )
    return undefined
  const isHost = records.some(({ host }) => host !== undefined && readAddress(host) === undefined)
  return isHost
    ? undefined
    : `${name}: each line begins with two addresses. State which is the client with --log-format, such as '$host $remote_addr …', or --format ${format}.`
}

const addressAdvice =
  'State which one counts: --address remote (that of the connection), first, last, or the number of proxies in front of the server.'

function notFitting(
  name: string,
  text: string,
  trials: readonly Trial[],
  { fields = {} }: FormatOptions,
): string {
  const first = text.slice(0, (text.indexOf('\n') + 1 || text.length + 1) - 1)
  const found = trials.some(({ format }) => format.name === 'json')
    ? lackingOf(first, fields)
    : undefined
  if (found !== undefined && found.lacking.length > 0) {
    const [[field]] = found.lacking
    return [
      `${name}: the first line is JSON and lacks a field that each request needs. It has the fields:`,
      `  ${visible(found.present.slice(0, 30).join(', ').slice(0, 300))}`,
      'It lacks:',
      ...found.lacking.map(([one, names]) => `  ${one}, such as ${names.replaceAll('|', ', ')}`),
      `If the line has the value under another name, state the name: --field ${field}=NAME.`,
    ].join('\n')
  }
  // The format that gets furthest is the likeliest.
  const furthest = trials.toSorted((a, b) => scoreOf(b) - scoreOf(a))[0]
  const { format, first: wrong, lines } = furthest
  const several = trials.find(
    (trial) => trial.first?.why.reason.startsWith(severalAddresses) === true,
  )
  if (several?.first !== undefined && scoreOf(several) >= scoreOf(furthest) - 100) {
    return `${name}, line ${several.first.number}, in the format ${several.format.name}: ${several.first.why.reason}.\n${marked(several.first.line, several.first.why.at)}\n${addressAdvice}`
  }
  if (wrong === undefined) return `${name}: none of the first ${lines} lines is a request`
  return [
    `${name}: no format fits all of the first lines. Line ${wrong.number} stops fitting the format ${format.name}: ${wrong.why.reason}.`,
    marked(wrong.line, wrong.why.at),
    `Tried: ${trials.map((trial) => trial.format.name).join(', ')}.`,
    'State the format with --log-format (a name, the log_format of nginx, or the LogFormat of Apache), or names of JSON fields with --field. --skip-bad-lines leaves out lines that do not fit.',
  ].join('\n')
}

function scoreOf({ records, first }: Trial): number {
  const { at = 0, isWhole = false } = first?.why ?? {}
  return records.length * 1e6 + (isWhole ? 1e5 : at)
}

/** A part of a line, and a mark below the character at which it stops fitting. */
export function marked(line: string, at: number): string {
  const from = Math.max(0, at - 60)
  const before = visible(textOf(line.slice(from, at)))
  return `  ${before}${visible(textOf(line.slice(at, from + 140)))}\n  ${' '.repeat(before.length)}^`
}
