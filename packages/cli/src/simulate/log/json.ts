import { BadLine, type Format, type Meaning, type Reading } from './record.js'
import { isPossible, TimeReader } from './time.js'
import {
  readAddress,
  readCount,
  readDuration,
  readForwarded,
  readHost,
  readTarget,
  units,
  type Address,
} from './values.js'

/** The names of the fields in JSON lines. A name can be a path: `request.remote_ip`. */
export type FieldNames = Partial<Record<FieldName, string>>

export const fieldNames = [
  'time',
  'start',
  'duration',
  'method',
  'url',
  'status',
  'ip',
  'forwarded',
  'host',
  'user',
  'bytes',
  'request',
  'id',
] as const
/** A field of a JSON line: 'time', 'start', 'duration', 'method', 'url', 'status', 'ip', 'forwarded', 'host', 'user', 'bytes', 'request' or 'id'. */
export type FieldName = (typeof fieldNames)[number]

/**
 * The fields of each format, from the documentation of its writer. `a|b` is the first of them that a line has, and `a:ms` is a duration in that unit. `start` is
 * the time at which a request began, `time` that at which it ended. Lines with one `id` are the two halves of one request.
 */
const declared: Readonly<Record<string, FieldNames>> = Object.fromEntries(
  [
    'caddy: time=ts method=request.method url=request.uri status=status ip=request.client_ip host=request.host user=user_id duration=duration:s bytes=size',
    'traefik: start=StartUTC method=RequestMethod url=RequestPath status=DownstreamStatus ip=ClientHost host=RequestHost user=ClientUsername duration=Duration:ns bytes=DownstreamContentSize',
    'envoy_json: start=start_time method=method url=path status=response_code ip=downstream_remote_address forwarded=x_forwarded_for host=authority duration=duration:ms bytes=bytes_sent',
    'nginx_json: time=time_iso8601|msec|time_local method=request_method url=request_uri|uri request=request status=status ip=remote_addr forwarded=http_x_forwarded_for host=host|http_host|server_name user=remote_user duration=request_time:s bytes=body_bytes_sent|bytes_sent',
    'cloudflare: time=EdgeEndTimestamp start=EdgeStartTimestamp method=ClientRequestMethod url=ClientRequestURI|ClientRequestPath status=EdgeResponseStatus ip=ClientIP host=ClientRequestHost bytes=EdgeResponseBytes',
    'vercel: time=proxy.timestamp method=proxy.method url=proxy.path status=proxy.statusCode ip=proxy.clientIp host=proxy.host',
    'pino: time=time method=req.method url=req.url status=res.statusCode ip=req.remoteAddress|req.ip|remoteAddress forwarded=req.headers.x-forwarded-for host=req.headers.host|req.host user=req.username duration=responseTime:ms|latency:ms id=reqId',
    'winston: time=timestamp|time method=meta.req.method url=meta.req.originalUrl|meta.req.url status=meta.res.statusCode ip=meta.req.ip|meta.req.remoteAddress forwarded=meta.req.headers.x-forwarded-for host=meta.req.headers.host duration=meta.responseTime:ms',
    'json: time=time|timestamp|@timestamp|ts|date start=start|startTime method=method|request_method url=url|uri|path|originalUrl request=request status=status|statusCode|status_code ip=ip|client_ip|clientIp|remote_addr|remote-addr|remote_ip|remoteAddress forwarded=x-forwarded-for|x_forwarded_for host=host|http_host user=user|remote_user|user_id duration=durationMs:ms|duration_ms:ms|responseTime:ms|response-time:ms|request_time:s|duration bytes=bytes|bytes_sent|body_bytes_sent|size|content-length id=reqId',
  ].map((line) => {
    const [name, fields] = line.split(': ')
    return [name, readFieldNames(fields, ' ') ?? {}]
  }),
)

/** Reads `time=ts,ip=client.address`. Undefined if a field is unknown. */
export function readFieldNames(text: string, separator: string): FieldNames | undefined {
  const names: FieldNames = {}
  for (const pair of text.split(separator)) {
    const [field, name] = pair.split(/=(.*)/s).map((part) => part.trim())
    const known = fieldNames.find((one) => one === field)
    if (known === undefined || name === undefined || name === '') return undefined
    names[known] = name
  }
  return names
}

/** The names of the formats. */
export const jsonNames: readonly string[] = Object.keys(declared)

/** Formats in JSON lines. With names of the user, those names replace the declared ones, and plain lines come first. */
export function jsonFormats(given: FieldNames): readonly Format[] {
  const formats = Object.entries(declared).map(([name, fields]) =>
    jsonFormat(name, { ...fields, ...given }),
  )
  return Object.keys(given).length === 0 ? formats : formats.toReversed()
}

interface Name {
  readonly path: readonly string[]
  readonly unit: string | undefined
}

function namesIn(text: string | undefined): readonly Name[] {
  if (text === undefined) return []
  return text.split('|').map((one) => {
    const [, path, unit] = /^(.*?)(?::(\w+))?$/.exec(one) ?? []
    const isUnit = unit !== undefined && unit in units
    return { path: (isUnit ? path : one).split('.'), unit: isUnit ? unit : unitOf(one) }
  })
}

/** Names that state their unit. */
function unitOf(name: string): string | undefined {
  return /(?:ms|Ms|_millis)$/.test(name) ? 'ms' : undefined
}

/** The halves of requests that wait for each other. */
const maxWaiting = 10_000

function jsonFormat(name: string, given: FieldNames): Format {
  const names = Object.fromEntries(fieldNames.map((field) => [field, namesIn(given[field])]))
  return {
    name,
    open(meaning) {
      const reader = new JsonReader(name, names, meaning)
      return {
        has: () => true,
        read: (line) => reader.read(line),
        isZoneless: () => reader.times.isZoneless,
      }
    },
  }
}

type JsonObject = Readonly<Record<string, unknown>>

class JsonReader {
  readonly #format: string
  readonly #names: Readonly<Record<string, readonly Name[]>>
  readonly #meaning: Meaning
  readonly times: TimeReader
  readonly #waiting = new Map<string, JsonObject>()

  constructor(format: string, names: Readonly<Record<string, readonly Name[]>>, meaning: Meaning) {
    this.#format = format
    this.#names = names
    this.#meaning = meaning
    this.times = new TimeReader(meaning.zoneMs)
  }

  read(bytes: string): Reading {
    const line = objectIn(bytes)
    return line === undefined ? new BadLine('no JSON object', 0) : this.#request(line)
  }

  #found(
    line: JsonObject,
    field: FieldName,
  ): { readonly value: unknown; readonly unit?: string | undefined } {
    for (const { path, unit } of this.#names[field]) {
      const value = valueAt(line, path)
      if (value !== undefined && value !== null && value !== '' && !isObject(value))
        return { value, unit }
    }
    return { value: undefined }
  }

  #request(line: JsonObject): Reading {
    const text = (field: FieldName): string | undefined => textual(this.#found(line, field).value)
    const requestLine = partsOf(text('request'))
    const method = text('method') ?? requestLine?.method
    const url = text('url') ?? requestLine?.url
    const status = this.#found(line, 'status').value
    const isRequest = method !== undefined && url !== undefined
    const id = this.#idOf(line)
    if (id !== undefined && isRequest !== (status !== undefined)) {
      if (isRequest) return this.#wait(id, line)
      const first = this.#waiting.get(id)
      this.#waiting.delete(id)
      if (first === undefined) return 'no request with its id'
      // The time of the first half is the start.
      const hasTime = this.#found(line, 'time').value !== undefined
      return hasTime ? this.#request({ ...first, ...line, [joined]: true }) : 'no time'
    }
    const { value: end } = this.#found(line, 'time')
    const { value: begin } = this.#found(line, 'start')
    const isStated =
      end !== undefined || this.#names['time'].length === 0 || this.#format === 'json'
    if ((end ?? begin) === undefined || !isStated) return 'no time'
    if (!isRequest) return 'not HTTP'
    if (status === undefined) return 'no status'
    const read = statusOf(status)
    if (read === undefined)
      return status === 0 || status === -1 || status === '0' || status === '-'
        ? 'no status'
        : new BadLine('no status', 0, true)
    const taken = this.#found(line, 'duration')
    let durationMs = taken.value === '-' ? undefined : readDuration(taken.value, taken.unit)
    if (taken.value !== undefined && taken.value !== '-' && durationMs === undefined) {
      return new BadLine('no duration with a unit', 0, true)
    }
    // Without it, the end of a request is not known from its start.
    if (end === undefined && durationMs === undefined) return new BadLine('no duration', 0, true)
    let time = this.times.read(end ?? begin)
    if (Number.isNaN(time)) return new BadLine('no time', 0, true)
    if (end === undefined) time += durationMs ?? 0
    else if (begin !== undefined) {
      const start = this.times.read(begin)
      if (Number.isNaN(start)) return new BadLine('no time', 0, true)
      durationMs ??= Math.max(0, time - start)
    }
    if (!isPossible(time) || !isPossible(time - (durationMs ?? 0)))
      return new BadLine('impossible time', 0, true)
    const address = this.#address(line)
    if (typeof address === 'string') return new BadLine(address, 0, true)
    const target = readTarget(url)
    const host = text('host')
    return {
      time,
      at: time,
      durationMs,
      method,
      url: target.url,
      status: read,
      address,
      host: host === undefined || host === '-' ? target.host : readHost(host),
      user: present(text('user')),
      bytes: readCount(this.#found(line, 'bytes').value),
      isForwarded: this.#names['ip'].length > 0 && present(text('forwarded')) !== undefined,
      header: (name) => headerOf(line, name),
      field: (name) => valueAt(line, name.split('.')),
    }
  }

  /** The two halves of a request have the id of the process too. */
  #idOf(line: JsonObject): string | undefined {
    const id = this.#found(line, 'id').value
    if (id === undefined || joined in line) return undefined
    return JSON.stringify([line['hostname'], line['pid'], id])
  }

  #wait(id: string, line: JsonObject): string {
    if (this.#waiting.size >= maxWaiting)
      this.#waiting.delete(this.#waiting.keys().next().value ?? '')
    this.#waiting.set(id, line)
    return ''
  }

  #isForwarded(line: JsonObject): boolean {
    const { address } = this.#meaning
    const hasIp = this.#found(line, 'ip').value !== undefined
    return (
      address !== 'remote' &&
      (address !== undefined || !hasIp) &&
      present(textual(this.#found(line, 'forwarded').value)) !== undefined
    )
  }

  /** The client; the reason if it cannot be read. */
  #address(line: JsonObject): Address | string | undefined {
    const { address: choice } = this.#meaning
    const isForwarded = this.#isForwarded(line)
    const { value } = this.#found(line, isForwarded ? 'forwarded' : 'ip')
    const text = present(textual(value))
    if (text === undefined) return value === undefined || value === '-' ? undefined : 'no address'
    const found = readForwarded(text, choice === 'remote' ? undefined : choice)
    if (found === 'list') return 'several addresses'
    if (found === undefined) return 'no address'
    return !isForwarded && this.#format === 'json' && this.#hasOther(line, found)
      ? 'different addresses'
      : found
  }

  /** Whether another usual name has another address. Which one is the client then is not known. */
  #hasOther(line: JsonObject, { client }: Address): boolean {
    return this.#names['ip'].some(({ path }) => {
      const other = textual(valueAt(line, path))
      return (
        other !== undefined && readAddress(other)?.client !== client && present(other) !== undefined
      )
    })
  }
}

/** Marks a request of two lines. */
const joined = Symbol('joined')

function objectIn(bytes: string): JsonObject | undefined {
  if (!bytes.startsWith('{')) return undefined
  try {
    const value: unknown = JSON.parse(Buffer.from(bytes, 'latin1').toString('utf8'))
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** Tries a name with dots as a whole before it tries it as a path. */
function valueAt(line: JsonObject, path: readonly string[]): unknown {
  const whole = path.length === 1 ? path[0] : path.join('.')
  if (Object.hasOwn(line, whole)) return line[whole]
  let value: unknown = line
  for (const name of path) {
    if (!isObject(value) || !Object.hasOwn(value, name)) return undefined
    value = value[name]
  }
  return value
}

const headerPlaces = ['headers', 'req.headers', 'request.headers', 'meta.req.headers'].map((text) =>
  text.split('.'),
)

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
  // Traefik writes `request_User-Agent`, Cloudflare `ClientRequestUserAgent`, Vercel `proxy.userAgent`.
  const words = name.split('-').map((word) => word.charAt(0).toUpperCase() + word.slice(1))
  const camel = words.join('')
  const names = [
    `http_${variable}`,
    `request_${words.join('-')}`,
    variable,
    name,
    `ClientRequest${camel}`,
    `proxy.${camel.charAt(0).toLowerCase()}${camel.slice(1)}`,
  ]
  for (const given of names) {
    const value = valueAt(line, given.split('.'))
    const text = textual(Array.isArray(value) ? value.join(', ') : value)
    if (text !== undefined) return present(text)
  }
  return undefined
}

/** `GET /path HTTP/1.1`, as `$request` of nginx. */
function partsOf(
  value: string | undefined,
): { readonly method: string; readonly url: string } | undefined {
  const [method, url, protocol, ...others] = value?.split(' ') ?? []
  return protocol !== undefined && protocol.startsWith('HTTP/') && others.length === 0
    ? { method, url }
    : undefined
}

function statusOf(value: unknown): number | undefined {
  const text = typeof value === 'string' || typeof value === 'number' ? `${value}` : ''
  return /^[1-9]\d\d$/.test(text) ? Number(text) : undefined
}

function textual(value: unknown): string | undefined {
  if (typeof value === 'string') return value
  return typeof value === 'number' ? `${value}` : undefined
}

function present(text: string | undefined): string | undefined {
  return text === '' || text === '-' ? undefined : text
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** What a JSON line lacks to be a request, and the names that it has. Undefined if it is no JSON object. */
export function lackingOf(
  bytes: string,
  given: FieldNames,
):
  | {
      readonly lacking: readonly (readonly [FieldName, string])[]
      readonly present: readonly string[]
    }
  | undefined {
  const line = objectIn(bytes)
  if (line === undefined) return undefined
  const { json } = declared
  const lacks = (field: FieldName): boolean => {
    const names = namesIn(
      given[field] ??
        Object.values(declared)
          .map((one) => one[field])
          .filter(Boolean)
          .join('|'),
    )
    return names.every(({ path }) => valueAt(line, path) === undefined)
  }
  const hasLine = !lacks('request')
  const lacking = (['time', 'method', 'url', 'status'] as const)
    .filter((field) => lacks(field) && !(hasLine && (field === 'method' || field === 'url')))
    .map((field) => [field, given[field] ?? json[field] ?? ''] as const)
  return { lacking, present: pathsIn(line) }
}

/** The names of the values in an object; those of inner objects as paths. */
function pathsIn(object: JsonObject, depth: number = 1): readonly string[] {
  return Object.entries(object).flatMap(([name, value]) =>
    isObject(value) && depth < 3
      ? pathsIn(value, depth + 1).map((inner) => `${name}.${inner}`)
      : [name],
  )
}
