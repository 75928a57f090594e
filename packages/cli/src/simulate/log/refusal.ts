import { visible } from '../../text/visible.js'
import type { FormatOptions } from './format-options.js'
import { statedFormat } from './formats.js'
import { declared, namesIn, type FieldName, type FieldNames } from './json.js'
import { objectIn, pathsIn, valueAt } from './json-object.js'
import { prefixes, withoutPrefix } from './prefix.js'
import { BadLine, type Format, type LineReader, type LogRecord, type Meaning } from './record.js'
import { severalAddresses } from './request.js'
import { isRequestLine, readAddress, readForwarded, readStatus, textOf } from './values.js'

/** A larger share of lines with forwarded addresses says that a proxy is in front of the server. */
const forwardedShare = 0.1

/** A format that was tried on the first lines. */
export interface Trial {
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

/** Why the client is unclear: the addresses of the log can be those of proxies, or of servers. */
export function unclearOf(
  name: string,
  format: string,
  records: readonly LogRecord[],
  { address, logFormat, nginxFormat, format: stated = 'auto' }: FormatOptions,
): string | undefined {
  const forwarded = records.filter(({ isForwarded }) => isForwarded).length
  if (address === undefined && forwarded > forwardedShare * records.length) {
    return `${name}: ${forwarded} of the first ${records.length} requests have a list of forwarded addresses, so the client is in the list or is the address of the connection. ${addressAdvice}`
  }
  const isStated = stated !== 'auto' || (logFormat ?? nginxFormat) !== undefined
  if (isStated || !format.startsWith('vhost')) return undefined
  const isHost = records.some(({ host }) => host !== undefined && readAddress(host) === undefined)
  return isHost
    ? undefined
    : `${name}: each line begins with two addresses. State which is the client with --log-format, such as '$host $remote_addr …', or --format ${format}.`
}

export const addressAdvice =
  'State which one counts: --address remote (that of the connection), first, last, or the number of proxies in front of the server.'

/** Why no format fits: the line of the likeliest one, and what to write. */
export function notFitting(
  name: string,
  text: string,
  trials: readonly Trial[],
  meaning: Meaning,
  { fields = {}, prefix }: FormatOptions,
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
  const remedy = prefix === undefined ? remedyFor(wrong.line, trials, meaning) : ''
  return [
    `${name}: no format fits all of the first lines. Line ${wrong.number} stops fitting the format ${format.name}: ${wrong.why.reason}.`,
    marked(wrong.line, wrong.why.at),
    `Tried: ${trials.map((trial) => trial.format.name).join(', ')}.`,
    remedy,
    'State the format with --log-format (a name, the log_format of nginx, or the LogFormat of Apache), or names of JSON fields with --field. --skip-bad-lines leaves out lines that do not fit.',
  ]
    .filter((text) => text !== '')
    .join('\n')
}

/** The option that makes the line fit. */
function remedyFor(line: string, trials: readonly Trial[], meaning: Meaning): string {
  const reads = (format: Format, text: string): boolean => {
    const reading = format.open(meaning).read(text)
    return typeof reading === 'object' && !(reading instanceof BadLine)
  }
  const prefix = prefixes.find((one) => {
    const inner = withoutPrefix(line, one)
    return typeof inner === 'string' && trials.some(({ format }) => reads(format, inner))
  })
  if (prefix !== undefined) return `Without its prefix the line fits: --prefix ${prefix}.`
  if (line.length > longestDescribed) return ''
  const stated = describedFormat(line)
  return fitting(() => reads(statedFormat(stated, 'nginx'), line))
    ? `If $remote_addr is the client and the other fields have the right names, this fits: --log-format '${stated}'`
    : ''
}

function fitting(test: () => boolean): boolean {
  try {
    return test()
  } catch {
    return false
  }
}

/** To describe a line of quotes and backslashes takes the square of its length. */
const longestDescribed = 10_000

/** The possible kinds of the fields of a line, and the variable that comes directly before. Each variable is used once. */
const guesses: readonly (readonly [variable: string, (text: string) => boolean, after?: string])[] =
  [
    ['remote_addr', (text) => readAddress(text) !== undefined],
    ['http_x_forwarded_for', (text) => readForwarded(text, 'first') !== undefined],
    ['request', isRequestLine],
    ['time_local', (text) => /^\d\d\/[A-Z][a-z]{2}\/\d{4}:/.test(text)],
    ['time_iso8601', (text) => /^\d{4}-\d\d-\d\dT/.test(text)],
    ['status', (text) => readStatus(text) !== -1, 'request'],
    ['body_bytes_sent', (text) => /^\d+$/.test(text), 'status'],
  ]

/** A log_format for a line, as far as its fields can be told from each other. */
function describedFormat(line: string): string {
  const used = new Set<string>()
  let last = ''
  return line.replace(
    /"((?:[^"\\]|\\.)*)"|[^\s"[\]]+(?:(?<=:\d\d) [+-]\d{4})?/g,
    (whole, quoted = whole) => {
      if (whole === '-') return whole
      const [variable = `field_${used.size + 1}`] =
        guesses.find(
          ([name, fits, after]) =>
            !used.has(name) && (after ?? last) === last && fits(String(quoted)),
        ) ?? []
      used.add(variable)
      last = variable
      return whole.startsWith('"') ? `"$${variable}"` : `$${variable}`
    },
  )
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

/** The fields that a JSON line lacks to be a request, and the names that it has. Undefined if it is no JSON object. */
function lackingOf(bytes: string, given: FieldNames) {
  const line = objectIn(bytes)
  if (line === undefined) return undefined
  const { json } = declared
  const lacks = (field: FieldName): boolean => {
    const usual = Object.values(declared).flatMap((one) => one[field] ?? [])
    const names = namesIn(given[field] ?? usual.join('|'))
    return names.every(({ path }) => valueAt(line, path) === undefined)
  }
  const hasLine = !lacks('request')
  const lacking = (['time', 'method', 'url', 'status'] as const)
    .filter((field) => lacks(field) && !(hasLine && (field === 'method' || field === 'url')))
    .map((field) => [field, given[field] ?? json[field] ?? ''] as const)
  return { lacking, present: pathsIn(line) }
}
