import { anyTime, milliseconds } from './any-time.js'
import type { Cutter, LogRecord, SkipReason } from './record.js'
import { textOf } from './text.js'

/** The extended log format of the W3C, in which a line `#Fields:` names the fields. IIS separates fields by spaces (`w3c`), CloudFront by tabs (`cloudfront`). */
export function w3cCutter(format: 'w3c' | 'cloudfront'): Cutter {
  const separator = format === 'w3c' ? ' ' : '\t'
  // CloudFront writes seconds, IIS writes milliseconds.
  const durationField = format === 'w3c' ? 'time_ms' : 'request_time'
  let names: readonly string[] = []

  function cutLine(line: string): LogRecord | SkipReason {
    const values = line.split(separator)
    if (names.length === 0) return 'no #Fields before it'
    if (values.length !== names.length) return 'number of fields'
    const bytesOf = (...candidates: string[]): string | undefined => {
      for (const name of candidates) {
        const value = present(values[names.indexOf(name)])
        if (value !== undefined) return value
      }
      return undefined
    }
    const get = (...candidates: string[]): string | undefined => {
      const bytes = bytesOf(...candidates)
      return bytes === undefined ? undefined : textOf(bytes)
    }
    const time = anyTime(`${get('date')} ${get('time')}`)
    if (time === undefined) return 'no time'
    const method = get('cs-method')
    const path = get('cs-uri-stem')
    if (method === undefined || path === undefined) return 'not HTTP'
    const status = Number(get('sc-status'))
    if (!(status >= 100)) return 'no status'
    const query = get('cs-uri-query')
    const taken = get('time-taken')
    const sent = Number(get('sc-bytes'))
    return {
      time,
      at: time,
      durationMs: taken === undefined ? undefined : milliseconds(taken, durationField),
      method,
      url: query === undefined ? path : `${path}?${query}`,
      status,
      ip: get('c-ip'),
      host: get('x-host-header', 'cs(host)', 'cs-host'),
      user: get('cs-username'),
      bytes: Number.isNaN(sent) ? undefined : sent,
      header: (name) => decoded(bytesOf(`cs(${name})`), format),
      field: (name) => get(name.toLowerCase()),
    }
  }

  return {
    format,
    has: (field) => names.length === 0 || names.includes(nameOf(field)),
    cut(text, start, end) {
      if (text.charCodeAt(start) !== hash) return cutLine(text.slice(start, end))
      if (text.startsWith('#Fields:', start)) {
        const given = text.slice(start + '#Fields:'.length, end)
        names = given.trim().toLowerCase().split(/\s+/)
      }
      return ''
    },
  }
}

const hash = 0x23

function nameOf(field: string): string {
  const known: Readonly<Record<string, string>> = {
    ip: 'c-ip',
    user: 'cs-username',
    method: 'cs-method',
    path: 'cs-uri-stem',
    host: 'cs(host)',
  }
  if (field.startsWith('header.')) return `cs(${field.slice('header.'.length)})`
  return known[field] ?? field.replace(/^field\./, '')
}

function present(text: string | undefined): string | undefined {
  return text === undefined || text === '-' || text === '' ? undefined : text
}

/** IIS writes `+` for a space. CloudFront percent-encodes. */
function decoded(bytes: string | undefined, format: 'w3c' | 'cloudfront'): string | undefined {
  if (bytes === undefined) return undefined
  if (format === 'w3c') return textOf(bytes.replaceAll('+', ' '))
  return textOf(
    bytes.replace(/%([0-9a-f]{2})/gi, (_, hex: string) =>
      String.fromCharCode(Number.parseInt(hex, 16)),
    ),
  )
}
