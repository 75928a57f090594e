import { visible } from '../../text/visible.js'
import { eachLine } from './lines.js'
import { albCutter } from './alb.js'
import { combinedCutter } from './combined.js'
import { cutLine } from './cut-line.js'
import { jsonCutter } from './json.js'
import type { FieldNames } from './json-fields.js'
import { lackingFields } from './lacking-fields.js'
import { nginxCutter } from './nginx.js'
import type { Cutter, LogRecord } from './record.js'
import { textOf } from './text.js'
import { w3cCutter } from './w3c.js'

export const formats = [
  'auto',
  'combined',
  'common',
  'json',
  'alb',
  'cloudfront',
  'w3c',
  'nginx',
] as const
/** The name of a format: 'auto', 'combined', 'common', 'json', 'alb', 'cloudfront', 'w3c' or 'nginx'. */
export type Format = (typeof formats)[number]

/** The format of a log. */
export interface FormatOptions {
  /**
   * The format of the lines. `'auto'` detects it.
   *
   * @default 'auto'
   */
  readonly format?: Format | undefined
  /** The `log_format` of nginx, for the format `nginx`. */
  readonly nginxFormat?: string | undefined
  /** The names of fields in JSON lines, if they differ from the usual names. */
  readonly fields?: FieldNames | undefined
}

/** The format of a log, found from its first lines. */
export interface Detected {
  readonly cutter: Cutter
  /** Whether all times are whole seconds. */
  readonly wholeSeconds: boolean
  /** Whether the lines have the durations of requests, so that their arrival is known. */
  readonly hasDurations: boolean
  /** Whether the log has a field. Lines in JSON can have any, but a log whose first lines have no address or host has none. */
  has(field: string): boolean
}

const sampledLines = 1000

/**
 * Chooses the format that most of the first lines have.
 *
 * @throws Error if no format fits half of them
 */
export function detectFormat(name: string, text: string, options: FormatOptions): Detected {
  const attempts = candidates(options).map((create) => attempt(create, text))
  const best = attempts.reduce((a, b) => (b.records.length > a.records.length ? b : a))
  const { records, lines } = best
  if (records.length * 2 < lines || lines === 0)
    throw new Error(notFitting(name, text, attempts, options))
  // A cutter can keep state about earlier lines, so this is a new one.
  const cutter = best.create()
  return {
    cutter,
    wholeSeconds: records.every(({ time }) => time % 1000 === 0),
    hasDurations: records.some(({ durationMs }) => durationMs !== undefined),
    has: (field) =>
      field === 'ip' || field === 'host'
        ? records.some((record) => record[field] !== undefined)
        : cutter.has(field),
  }
}

type CreateCutter = () => Cutter

function candidates({ format = 'auto', nginxFormat, fields = {} }: FormatOptions): CreateCutter[] {
  const nginx = nginxFormat === undefined ? [] : [() => nginxCutter(nginxFormat)]
  const all: Record<Exclude<Format, 'auto'>, CreateCutter[]> = {
    combined: [() => combinedCutter()],
    common: [() => combinedCutter('common')],
    json: [() => jsonCutter(fields)],
    alb: [albCutter],
    cloudfront: [() => w3cCutter('cloudfront')],
    w3c: [() => w3cCutter('w3c')],
    nginx,
  }
  if (format === 'nginx' && nginxFormat === undefined) {
    throw new Error("--format nginx needs the log_format, such as --nginx-format '$remote_addr …'")
  }
  if (format !== 'auto') return all[format]
  // The nginx format of the user takes precedence over formats that fit as well.
  if (nginxFormat !== undefined) return nginx
  return Object.values(all).flat()
}

interface Attempt {
  readonly create: CreateCutter
  readonly format: string
  readonly lines: number
  readonly records: readonly LogRecord[]
  readonly reasons: ReadonlyMap<string, number>
}

function attempt(create: CreateCutter, text: string): Attempt {
  const cutter = create()
  const records: LogRecord[] = []
  const reasons = new Map<string, number>()
  let lines = 0
  eachLine(text, (start, end) => {
    if (lines >= sampledLines) return
    const cut = cutLine(cutter, text, start, end)
    if (cut === '') return
    lines++
    if (typeof cut === 'string') reasons.set(cut, (reasons.get(cut) ?? 0) + 1)
    else records.push(cut)
  })
  return { create, format: cutter.format, lines, records, reasons }
}

function notFitting(
  name: string,
  text: string,
  attempts: readonly Attempt[],
  { fields = {} }: FormatOptions,
): string {
  const lines = Math.max(...attempts.map(({ lines }) => lines))
  if (lines === 0) return `${name}: the log is empty`
  const first = text.slice(0, (text.indexOf('\n') + 1 || text.length + 1) - 1)
  const isJson = attempts.some(({ format }) => format === 'json')
  const found = isJson ? lackingFields(first, fields) : undefined
  if (found !== undefined) {
    const { lacking, present } = found
    const [{ field }] = lacking
    return [
      `${name}: at least half of the first ${lines} lines lack a field that each request needs. The first line is JSON and has the fields:`,
      `  ${visible(present.slice(0, 30).join(', ').slice(0, 300))}`,
      'It lacks, or has in a form that cannot be read:',
      ...lacking.map(
        ({ field, names }) => `  ${field}, which was looked for as ${names.join(', ')}`,
      ),
      `If the line has the value under another name, state the name: --field ${field}=NAME. A line without it is not a request that can be replayed.`,
    ].join('\n')
  }
  const tried = attempts.map(({ format, records, lines, reasons }) => {
    const [reason = ''] = [...reasons].sort((a, b) => b[1] - a[1]).map(([text]) => text)
    return `  ${format}: ${records.length} of ${lines} lines${reason === '' ? '' : `; most often: ${reason}`}`
  })
  return [
    `${name}: no format fits half of the first ${lines} lines. The first line:`,
    `  ${visible(textOf(first.slice(0, 300)))}`,
    'Tried:',
    ...tried,
    'State the format with --format, its fields with --field, or the log_format of nginx with --nginx-format.',
  ].join('\n')
}
