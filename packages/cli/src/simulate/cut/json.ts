import type { Cutter, LogRecord, SkipReason } from './record.js'
import { anyTime, milliseconds } from './any-time.js'

/** The names of the fields in JSON lines. A name can be a path: `request.remote_ip`. */
export type FieldNames = Partial<Record<FieldName, string>>

export const fieldNames = [
  'time',
  'duration',
  'method',
  'url',
  'status',
  'ip',
  'host',
  'user',
  'bytes',
  'request',
] as const
/** A field of a JSON line: 'time', 'duration', 'method', 'url', 'status', 'ip', 'host', 'user', 'bytes' or 'request'. */
export type FieldName = (typeof fieldNames)[number]

/** The names that nginx, Caddy, Traefik, Envoy and pino-http use. The first name that a line has is used. */
const usual: Readonly<Record<FieldName, readonly string[]>> = {
  time: [
    'time',
    'ts',
    'timestamp',
    '@timestamp',
    'time_iso8601',
    'time_local',
    'msec',
    'StartUTC',
    'start_time',
  ],
  duration: ['duration', 'durationMs', 'duration_ms', 'request_time', 'Duration', 'responseTime'],
  method: ['method', 'request_method', 'request.method', 'req.method', 'RequestMethod'],
  url: ['url', 'uri', 'request_uri', 'path', 'request.uri', 'req.url', 'RequestPath', ':path'],
  status: [
    'status',
    'status_code',
    'statusCode',
    'res.statusCode',
    'DownstreamStatus',
    'response_code',
  ],
  ip: [
    'ip',
    'remote_addr',
    'client_ip',
    'remote_ip',
    'request.client_ip',
    'request.remote_ip',
    'req.remoteAddress',
    'ClientHost',
    'downstream_remote_address',
  ],
  host: ['host', 'http_host', 'request.host', 'req.headers.host', 'RequestHost', 'authority'],
  user: ['user', 'remote_user', 'user_id', 'ClientUsername'],
  bytes: ['bytes', 'body_bytes_sent', 'bytes_sent', 'size', 'DownstreamContentSize'],
  request: ['request'],
}

/** Logs with one JSON object in each line. */
export function jsonCutter(given: FieldNames): Cutter {
  const names = Object.fromEntries(
    fieldNames.map((field) => {
      const name = given[field]
      return [field, (name === undefined ? usual[field] : [name]).map((text) => pathOf(text))]
    }),
  )
  return {
    format: 'json',
    // Lines can have different fields.
    has: () => true,
    cut(text, start, end) {
      if (text.charCodeAt(start) !== openingBrace) return 'not JSON'
      let line: unknown
      try {
        line = JSON.parse(Buffer.from(text.slice(start, end), 'latin1').toString('utf8'))
      } catch {
        return 'not JSON'
      }
      return isObject(line) ? cutJson(line, names) : 'not JSON'
    },
  }
}

const openingBrace = 0x7b

type JsonObject = Readonly<Record<string, unknown>>
type Path = readonly string[]

function cutJson(
  line: JsonObject,
  names: Readonly<Record<string, readonly Path[]>>,
): LogRecord | SkipReason {
  const found = (field: FieldName): Found | undefined => firstFound(line, names[field])
  const time = anyTime(found('time')?.value)
  if (time === undefined) return 'no time'
  const requestLine = partsOf(found('request')?.value)
  const method = textual(found('method')?.value) ?? requestLine?.method
  const url = textual(found('url')?.value) ?? requestLine?.url
  if (method === undefined || url === undefined) return 'not HTTP'
  const status = numeric(found('status')?.value)
  if (status === undefined) return 'no status'
  const duration = found('duration')
  // The time of a record is the end of its request.
  const isStart =
    found('time')?.name.startsWith('start') === true || found('time')?.name === 'StartUTC'
  const durationMs =
    duration === undefined ? undefined : milliseconds(duration.value, duration.name)
  const shift = isStart ? (durationMs ?? 0) : 0
  return {
    time: time + shift,
    at: time + shift,
    durationMs,
    method,
    url,
    status,
    ip: withoutPort(textual(found('ip')?.value)),
    host: textual(found('host')?.value),
    user: present(textual(found('user')?.value)),
    bytes: numeric(found('bytes')?.value),
    header: (name) => headerOf(line, name),
    field: (name) => valueAt(line, pathOf(name)),
  }
}

/** The fields that a line lacks to be a request, and the names that it has. Undefined if the line is not a JSON object, or lacks none. */
export function lackingFields(
  text: string,
  given: FieldNames,
): { readonly lacking: readonly LackingField[]; readonly present: readonly string[] } | undefined {
  let line: unknown
  try {
    line = JSON.parse(text)
  } catch {
    return undefined
  }
  if (!isObject(line)) return undefined
  const object = line
  const namesOf = (field: FieldName): readonly string[] => {
    const name = given[field]
    return name === undefined ? usual[field] : [name]
  }
  const found = (field: FieldName): unknown =>
    firstFound(
      object,
      namesOf(field).map((name) => pathOf(name)),
    )?.value
  const hasRequest = partsOf(found('request')) !== undefined
  const has = {
    time: anyTime(found('time')) !== undefined,
    method: hasRequest || textual(found('method')) !== undefined,
    url: hasRequest || textual(found('url')) !== undefined,
    status: numeric(found('status')) !== undefined,
  }
  const lacking = (['time', 'method', 'url', 'status'] as const)
    .filter((field) => !has[field])
    .map((field) => ({ field, names: namesOf(field) }))
  return lacking.length === 0 ? undefined : { lacking, present: namesIn(object) }
}

export interface LackingField {
  readonly field: FieldName
  /** The names that were looked for. */
  readonly names: readonly string[]
}

/** The names of the values in an object; those of inner objects as paths. */
function namesIn(object: JsonObject, depth: number = 1): readonly string[] {
  return Object.entries(object).flatMap(([name, value]) =>
    isObject(value) && depth < 3
      ? namesIn(value, depth + 1).map((inner) => `${name}.${inner}`)
      : [name],
  )
}

interface Found {
  readonly name: string
  readonly value: unknown
}

function firstFound(line: JsonObject, paths: readonly Path[]): Found | undefined {
  for (const path of paths) {
    const value = valueAt(line, path)
    if (value !== undefined && value !== null && !isObject(value)) {
      return { name: path.join('.'), value }
    }
  }
  return undefined
}

function pathOf(name: string): Path {
  return name.split('.')
}

/** Tries a name with dots as a whole before it tries it as a path. */
function valueAt(line: JsonObject, path: Path): unknown {
  const whole = path.join('.')
  if (Object.hasOwn(line, whole)) return line[whole]
  let value: unknown = line
  for (const name of path) {
    if (!isObject(value) || !Object.hasOwn(value, name)) return undefined
    value = value[name]
  }
  return value
}

const headerPlaces = ['headers', 'req.headers', 'request.headers'].map((text) => pathOf(text))

function headerOf(line: JsonObject, name: string): string | undefined {
  for (const place of headerPlaces) {
    const headers = valueAt(line, place)
    if (!isObject(headers)) continue
    for (const [given, value] of Object.entries(headers)) {
      if (given.toLowerCase() === name)
        return present(textual(Array.isArray(value) ? value.join(', ') : value))
    }
  }
  const variable = name.replaceAll('-', '_')
  const names = [`http_${variable}`, `request_${capitalized(name)}`, variable]
  for (const given of names) {
    const value = textual(line[given])
    if (value !== undefined) return present(value)
  }
  return undefined
}

/** Traefik writes `request_User-Agent`. */
function capitalized(name: string): string {
  return name.replace(
    /(^|-)([a-z])/g,
    (_, before: string, letter: string) => before + letter.toUpperCase(),
  )
}

/** `GET /path HTTP/1.1`, as `$request` of nginx. */
function partsOf(value: unknown): { readonly method: string; readonly url: string } | undefined {
  if (typeof value !== 'string') return undefined
  const parts = value.split(' ')
  return parts.length === 3 && parts[2].startsWith('HTTP/')
    ? { method: parts[0], url: parts[1] }
    : undefined
}

function withoutPort(address: string | undefined): string | undefined {
  if (address === undefined) return undefined
  const match = /^(?:\[(.+)\]|([^:]+)):\d+$/.exec(address)
  return match === null ? address : (match[1] ?? match[2])
}

function textual(value: unknown): string | undefined {
  if (typeof value === 'string') return value
  return typeof value === 'number' ? `${value}` : undefined
}

function numeric(value: unknown): number | undefined {
  const number = typeof value === 'string' && value !== '' ? Number(value) : value
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined
}

function present(text: string | undefined): string | undefined {
  return text === '' || text === '-' ? undefined : text
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
