import { anyTime } from './any-time.js'
import type { Cutter, LogRecord, SkipReason } from './record.js'
import { closingQuote, textOf, unescaped } from './text.js'

const fields = new Set(['ip', 'method', 'path', 'host', 'status', 'bytes', 'header.user-agent'])

/** The access log of AWS Application Load Balancers. The field `request_creation_time` is the arrival of the request. */
export function albCutter(): Cutter {
  return {
    format: 'alb',
    has: (field) => fields.has(field) || field.startsWith('field.'),
    cut(text, start, end) {
      return cutAlb(fieldsOf(text, start, end))
    },
  }
}

/** The fields of a line in their order. */
const names = [
  'type',
  'time',
  'elb',
  'client:port',
  'target:port',
  'request_processing_time',
  'target_processing_time',
  'response_processing_time',
  'elb_status_code',
  'target_status_code',
  'received_bytes',
  'sent_bytes',
  'request',
  'user_agent',
  'ssl_cipher',
  'ssl_protocol',
  'target_group_arn',
  'trace_id',
  'domain_name',
  'chosen_cert_arn',
  'matched_rule_priority',
  'request_creation_time',
]

function cutAlb(values: readonly string[]): LogRecord | SkipReason {
  if (values.length < 13) return 'too few fields'
  const time = anyTime(values[1])
  if (time === undefined) return 'no time'
  const [method, url, protocol] = values[12].split(' ')
  if (protocol === undefined || !protocol.startsWith('HTTP/')) return 'not HTTP'
  const status = Number(values[8])
  if (!(status >= 100)) return 'no status'
  const created = anyTime(values[21])
  const address = values[3]
  const port = address.lastIndexOf(':')
  const target = targetOf(url)
  return {
    time,
    at: time,
    durationMs: created === undefined ? undefined : Math.max(0, time - created),
    method,
    url: target.path,
    host: target.host,
    status,
    ip: (port === -1 ? address : address.slice(0, port)).replace(/^\[|\]$/g, ''),
    user: undefined,
    bytes: numberOf(values[11]),
    header: (name) => (name === 'user-agent' ? present(values[13]) : undefined),
    field: (name) => present(values[names.indexOf(name)]),
  }
}

/** Splits a line at spaces outside of quotes. */
function fieldsOf(text: string, start: number, end: number): readonly string[] {
  const values: string[] = []
  let at = start
  while (at < end) {
    if (text.charCodeAt(at) === quote) {
      const close = closingQuote(text, at + 1, end)
      if (close === -1) break
      values.push(textOf(unescaped(text.slice(at + 1, close))))
      at = close + 2
    } else {
      const space = text.indexOf(' ', at)
      const stop = space === -1 || space > end ? end : space
      values.push(text.slice(at, stop))
      at = stop + 1
    }
  }
  return values
}

const quote = 0x22

/** `https://host:443/path?query` */
function targetOf(url: string): { readonly host: string | undefined; readonly path: string } {
  const match = /^[a-z]+:\/\/([^/]*?)(?::\d+)?(\/.*)?$/i.exec(url)
  return match === null ? { host: undefined, path: url } : { host: match[1], path: match[2] ?? '/' }
}

function numberOf(text: string | undefined): number | undefined {
  const number = Number(text)
  return text === undefined || text === '-' || Number.isNaN(number) ? undefined : number
}

function present(text: string | undefined): string | undefined {
  return text === undefined || text === '' || text === '-' ? undefined : text
}
