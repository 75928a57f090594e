import { anyTime, milliseconds } from './any-time.js'
import type { Cutter, LogRecord, SkipReason } from './record.js'
import { digits, textOf, unescaped } from './text.js'

/**
 * Compiles a `log_format` of nginx, such as `'$remote_addr [$time_local] "$request" $status $request_time'`. The text between two variables ends the
 * first of them, so two variables need text between them.
 *
 * @throws Error if two variables have no text between them, or a needed variable is missing
 */
export function nginxCutter(logFormat: string): Cutter {
  const { literals, names } = compile(logFormat)
  const place = (...candidates: string[]): number =>
    names.findIndex((name) => candidates.includes(name))
  const places: Places = {
    time: place('msec', 'time_iso8601', 'time_local'),
    duration: place('request_time'),
    request: place('request'),
    method: place('request_method'),
    url: place('request_uri', 'uri'),
    status: place('status'),
    ip: place('remote_addr', 'http_x_real_ip'),
    host: place('host', 'http_host', 'server_name'),
    user: place('remote_user'),
    bytes: place('body_bytes_sent', 'bytes_sent'),
    names,
  }
  const missing = missingVariable(places)
  if (missing !== undefined) throw new Error(`--nginx-format: a replay needs ${missing}`)
  return {
    format: 'nginx',
    has: (field) => hasField(places, field),
    cut(text, start, end) {
      const ends = endsOf(literals, text, start, end)
      return ends === undefined ? 'another format' : cutNginx(places, ends)
    },
  }
}

interface Places {
  readonly time: number
  readonly duration: number
  readonly request: number
  readonly method: number
  readonly url: number
  readonly status: number
  readonly ip: number
  readonly host: number
  readonly user: number
  readonly bytes: number
  readonly names: readonly string[]
}

function compile(logFormat: string): { literals: readonly string[]; names: readonly string[] } {
  const literals: string[] = []
  const names: string[] = []
  let at = 0
  for (const match of logFormat.matchAll(/\$(?:\{(\w+)\}|(\w+))/g)) {
    literals.push(logFormat.slice(at, match.index))
    names.push(match[1] ?? match[2])
    at = match.index + match[0].length
  }
  literals.push(logFormat.slice(at))
  const touching = names.findIndex((_, i) => i > 0 && literals[i] === '')
  if (touching > 0) {
    throw new Error(
      `--nginx-format: $${names[touching - 1]} and $${names[touching]} need text between them`,
    )
  }
  return { literals, names }
}

function missingVariable(places: Places): string | undefined {
  if (places.time === -1) return '$msec, $time_iso8601 or $time_local'
  if (places.status === -1) return '$status'
  if (places.request === -1 && (places.method === -1 || places.url === -1)) {
    return '$request, or $request_method and $request_uri'
  }
  return undefined
}

function hasField({ ip, user, host, names }: Places, field: string): boolean {
  switch (field) {
    case 'ip':
      return ip !== -1
    case 'user':
      return user !== -1
    case 'host':
      return host !== -1
    case 'method':
    case 'path':
      return true
    default:
      return names.includes(variableOf(field))
  }
}

/** `header.user-agent` is logged as `$http_user_agent`, `field.NAME` as `$NAME`. */
function variableOf(field: string): string {
  return field.startsWith('header.')
    ? `http_${field.slice('header.'.length).replaceAll('-', '_')}`
    : field.slice('field.'.length)
}

/** The value of each variable. Undefined if the line has another format. */
function endsOf(
  literals: readonly string[],
  text: string,
  start: number,
  end: number,
): readonly string[] | undefined {
  const values: string[] = []
  let at = start + literals[0].length
  if (!text.startsWith(literals[0], start)) return undefined
  for (let i = 1; i < literals.length; i++) {
    const isLast = i === literals.length - 1
    const literal = literals[i]
    const next = isLast ? lastPlace(literal, text, end) : text.indexOf(literal, at)
    if (next < at || next > end) return undefined
    values.push(text.slice(at, next))
    at = next + literal.length
  }
  return values
}

/** The text after the last variable ends the line. */
function lastPlace(literal: string, text: string, end: number): number {
  return text.startsWith(literal, end - literal.length) ? end - literal.length : -1
}

function cutNginx(places: Places, values: readonly string[]): LogRecord | SkipReason {
  const time = anyTime(values[places.time])
  if (time === undefined) return 'no time'
  const status = digits(values[places.status], 0, values[places.status].length)
  if (status < 100) return 'no status'
  let method = values[places.method]
  let url = values[places.url]
  if (method === undefined || url === undefined) {
    const request = values[places.request]
    const first = request.indexOf(' ')
    const last = request.lastIndexOf(' ')
    if (first === -1 || last <= first || !request.startsWith('HTTP/', last + 1)) return 'not HTTP'
    method ??= request.slice(0, first)
    url ??= request.slice(first + 1, last)
  }
  const duration = values[places.duration]
  const bytes = values[places.bytes] ?? ''
  const sent = digits(bytes, 0, bytes.length)
  return {
    time,
    at: time,
    durationMs: duration === undefined ? undefined : milliseconds(duration, 'request_time'),
    method,
    url: textOf(unescaped(url)),
    status,
    ip: present(values[places.ip]),
    host: present(values[places.host]),
    user: present(values[places.user]),
    bytes: sent === -1 ? undefined : sent,
    header: (name) => present(values[places.names.indexOf(variableOf(`header.${name}`))]),
    field: (name) => present(values[places.names.indexOf(name)]),
  }
}

function present(bytes: string | undefined): string | undefined {
  return bytes === undefined || bytes === '-' || bytes === '' ? undefined : textOf(unescaped(bytes))
}
