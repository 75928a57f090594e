import { anyTime } from './any-time.js'

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

/** The paths of each field in a line, in the order in which they are tried. */
export type FieldPaths = Readonly<Record<string, readonly Path[]>>

/** The usual names, except of the fields whose names are given. */
export function pathsOf(given: FieldNames): FieldPaths {
  return Object.fromEntries(
    fieldNames.map((field) => {
      const name = given[field]
      return [field, (name === undefined ? usual[field] : [name]).map((text) => pathOf(text))]
    }),
  )
}

export type JsonObject = Readonly<Record<string, unknown>>
export type Path = readonly string[]

/** The values without which a line is not a request that can be replayed. */
export interface Required {
  readonly time: number | undefined
  readonly method: string | undefined
  readonly url: string | undefined
  readonly status: number | undefined
}

export function requiredOf(line: JsonObject, paths: FieldPaths): Required {
  const found = (field: FieldName): unknown => firstFound(line, paths[field])?.value
  const requestLine = partsOf(found('request'))
  return {
    time: anyTime(found('time')),
    method: textual(found('method')) ?? requestLine?.method,
    url: textual(found('url')) ?? requestLine?.url,
    status: numeric(found('status')),
  }
}

export interface Found {
  readonly name: string
  readonly value: unknown
}

export function firstFound(line: JsonObject, paths: readonly Path[]): Found | undefined {
  for (const path of paths) {
    const value = valueAt(line, path)
    if (value !== undefined && value !== null && !isObject(value)) {
      return { name: path.join('.'), value }
    }
  }
  return undefined
}

export function pathOf(name: string): Path {
  return name.split('.')
}

/** Tries a name with dots as a whole before it tries it as a path. */
export function valueAt(line: JsonObject, path: Path): unknown {
  const whole = path.join('.')
  if (Object.hasOwn(line, whole)) return line[whole]
  let value: unknown = line
  for (const name of path) {
    if (!isObject(value) || !Object.hasOwn(value, name)) return undefined
    value = value[name]
  }
  return value
}

/** `GET /path HTTP/1.1`, as `$request` of nginx. */
function partsOf(value: unknown): { readonly method: string; readonly url: string } | undefined {
  if (typeof value !== 'string') return undefined
  const parts = value.split(' ')
  return parts.length === 3 && parts[2].startsWith('HTTP/')
    ? { method: parts[0], url: parts[1] }
    : undefined
}

export function textual(value: unknown): string | undefined {
  if (typeof value === 'string') return value
  return typeof value === 'number' ? `${value}` : undefined
}

export function numeric(value: unknown): number | undefined {
  const number = typeof value === 'string' && value !== '' ? Number(value) : value
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
