import {
  headerOf,
  objectIn,
  pairsIn,
  present,
  textual,
  valueAt,
  type JsonObject,
} from './json-object.js'
import { BadLine, type Format, type LineReader, type Meaning, type Reading } from './record.js'
import { LoggedRequest, parts, readRequest, type Part } from './request.js'
import { TimeReader } from './time.js'
import { isRequestLine, readAddress, units, withUnit } from './values.js'

/** The names of the fields in JSON lines. A name can be a path: `request.remote_ip`. */
export type FieldNames = Partial<Record<FieldName, string>>

export const fieldNames: readonly FieldName[] = [
  ...parts.filter((part): part is Exclude<Part, 'query'> => part !== 'query'),
  'id',
]
/** A field of a JSON line: 'time', 'start', 'duration', 'request', 'method', 'url', 'status', 'ip', 'forwarded', 'host', 'user', 'bytes' or 'id'. */
export type FieldName = Exclude<Part, 'query'> | 'id'

/**
 * The fields of each format, from the documentation of its writer. `a|b` is the first of them that a line has, and `a:ms` is a duration in that unit. `start` is
 * the time at which a request began, `time` that at which it ended. Lines with one `id` are the two halves of one request.
 */
export const declared: Readonly<Record<string, FieldNames>> = Object.fromEntries(
  [
    'caddy: time=ts method=request.method url=request.uri status=status ip=request.client_ip host=request.host user=user_id duration=duration:s bytes=size', // caddyserver.com/docs/caddyfile/directives/log
    'traefik: start=StartUTC method=RequestMethod url=RequestPath status=DownstreamStatus ip=ClientHost host=RequestHost user=ClientUsername duration=Duration:ns bytes=DownstreamContentSize', // doc.traefik.io/traefik/observability/access-logs
    'envoy_json: start=start_time method=method url=path status=response_code ip=downstream_remote_address forwarded=x_forwarded_for host=authority duration=duration:ms bytes=bytes_sent', // istio.io/latest/docs/tasks/observability/logs/access-log
    'nginx_json: time=time_iso8601|msec|time_local method=request_method url=request_uri|uri request=request status=status ip=remote_addr forwarded=http_x_forwarded_for host=host|http_host|server_name user=remote_user duration=request_time:s bytes=body_bytes_sent|bytes_sent', // nginx.org/en/docs/http/ngx_http_log_module.html, with escape=json
    'cloudflare: time=EdgeEndTimestamp start=EdgeStartTimestamp method=ClientRequestMethod url=ClientRequestURI|ClientRequestPath status=EdgeResponseStatus ip=ClientIP host=ClientRequestHost bytes=EdgeResponseBytes', // developers.cloudflare.com/logs/reference/log-fields/zone/http_requests
    'heroku: time=time method=method url=path status=status forwarded=fwd host=host duration=service bytes=bytes', // devcenter.heroku.com/articles/http-routing
    'vercel: start=proxy.timestamp method=proxy.method url=proxy.path status=proxy.statusCode ip=proxy.clientIp host=proxy.host bytes=proxy.responseByteSize', // vercel.com/docs/drains/reference/logs
    'pino: time=time method=req.method url=req.url status=res.statusCode ip=req.remoteAddress|req.ip|remoteAddress forwarded=req.headers.x-forwarded-for host=req.headers.host|req.host user=req.username duration=responseTime:ms|latency:ms id=reqId', // github.com/pinojs/pino-http, fastify.dev/docs/latest/Reference/Logging, restify.com/docs/plugins-api#auditlogger
    'winston: time=timestamp|time method=meta.req.method|req.method url=meta.req.originalUrl|meta.req.url|req.originalUrl|req.url status=meta.res.statusCode|res.statusCode ip=meta.req.ip|meta.req.remoteAddress|req.ip forwarded=meta.req.headers.x-forwarded-for|req.headers.x-forwarded-for host=meta.req.headers.host|req.headers.host duration=meta.responseTime:ms|responseTime:ms', // github.com/bithavoc/express-winston, with metaField 'meta' or null
    'json: time=time|timestamp|@timestamp|ts|date start=start|startTime method=method|request_method url=url|uri|path|originalUrl request=request status=status|statusCode|status_code ip=ip|client_ip|clientIp|remote_addr|remote-addr|remote_ip|remoteAddress forwarded=x-forwarded-for|x_forwarded_for host=host|http_host user=user|remote_user|user_id duration=durationMs:ms|duration_ms:ms|responseTime:ms|total-time:ms|response-time:ms|request_time:s|duration bytes=bytes|bytes_sent|body_bytes_sent|size|content-length id=reqId', // github.com/expressjs/morgan, its tokens as JSON
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

export interface Name {
  readonly path: readonly string[]
  readonly unit: string | undefined
}

export function namesIn(text: string): readonly Name[] {
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

type Field = FieldName | Part

interface Names {
  readonly of: Partial<Record<Field, readonly Name[]>>
  /** Whether the names are those of several writers. */
  readonly hasAlternatives: boolean
  /** Whether lines without the time of the end are requests: the format states only the start. */
  readonly endsAtStart: boolean
  /** Whether the lines are those of Heroku's router: `name=value` in place of JSON. */
  readonly isRouter: boolean
}

function jsonFormat(name: string, given: FieldNames): Format {
  const of: Partial<Record<Field, readonly Name[]>> = {}
  for (const field of fieldNames) if (given[field] !== undefined) of[field] = namesIn(given[field])
  const hasAlternatives = name === 'json'
  const endsAtStart = hasAlternatives || given.time === undefined
  const names = { of, hasAlternatives, endsAtStart, isRouter: name === 'heroku' }
  return { name, open: (meaning) => new JsonReader(names, meaning) }
}

class JsonReader implements LineReader {
  readonly #names: Names
  readonly #meaning: Meaning
  readonly #times: TimeReader
  /** The first halves of requests, by the ids of request and process. */
  readonly #waiting = new Map<string, JsonObject>()

  constructor(names: Names, meaning: Meaning) {
    this.#names = names
    this.#meaning = meaning
    this.#times = new TimeReader(meaning.zoneMs)
  }

  has(): boolean {
    return true
  }

  isZoneless(): boolean {
    return this.#times.isZoneless
  }

  read(bytes: string): Reading {
    const { isRouter } = this.#names
    const line = isRouter ? pairsIn(bytes) : objectIn(bytes)
    if (line !== undefined) return this.#request(line)
    return new BadLine(isRouter ? 'no heroku[router]: name=value' : 'no JSON object', 0)
  }

  #request(line: JsonObject): Reading {
    const raw = new JsonRequest(line, this.#names, this.#meaning)
    const isRequest =
      (raw.get('method') !== undefined && raw.get('url') !== undefined) ||
      isRequestLine(raw.get('request') ?? '')
    const status = raw.found('status')?.text
    const id = raw.get('id')
    if (id !== undefined && !(joined in line) && isRequest !== (status !== undefined)) {
      const key = JSON.stringify([line['hostname'], line['pid'], id])
      if (isRequest) return this.#wait(key, line)
      const first = this.#waiting.get(key)
      this.#waiting.delete(key)
      if (first === undefined) return 'no request with its id'
      // The time of the first half is the start.
      if (raw.get('time') === undefined) return new BadLine('no time', 0, true)
      return this.#request({ ...first, ...line, [joined]: true })
    }
    // Logs of applications have other lines too.
    if (!isRequest) return 'not HTTP'
    if (status === undefined) return new BadLine('no status', 0, true)
    const isStated = raw.get('time') !== undefined || this.#names.endsAtStart
    if (!isStated) return new BadLine('no time', 0, true)
    return this.#isClear(raw)
      ? readRequest(raw, this.#times)
      : new BadLine('different addresses', 0, true)
  }

  #wait(key: string, line: JsonObject): string {
    if (this.#waiting.size >= maxWaiting)
      this.#waiting.delete(this.#waiting.keys().next().value ?? '')
    this.#waiting.set(key, line)
    return ''
  }

  /** Whether no other usual name has another address. Which one is the client would not be known. */
  #isClear(raw: JsonRequest): boolean {
    if (!this.#names.hasAlternatives) return true
    const { address } = this.#meaning
    if (address !== undefined && address !== 'remote') return true
    const all = raw.all('ip').map((text) => readAddress(text)?.client)
    return all.every((client) => client === all[0])
  }
}

/** The statements of a JSON line. */
class JsonRequest extends LoggedRequest {
  readonly port = 'any'
  readonly entry = undefined
  readonly #line: JsonObject
  readonly #names: Names

  constructor(line: JsonObject, names: Names, meaning: Meaning) {
    super(meaning)
    this.#line = line
    this.#names = names
  }

  /** The first value of a field, and its unit. */
  found(field: Field): { readonly text: string; readonly unit: string | undefined } | undefined {
    for (const { path, unit } of this.#names.of[field] ?? []) {
      const text = textual(valueAt(this.#line, path))
      if (text !== undefined && text !== '') return { text, unit }
    }
    return undefined
  }

  /** All values of a field. */
  all(field: Field): readonly string[] {
    const names = this.#names.of[field] ?? []
    return names.flatMap(({ path }) => present(textual(valueAt(this.#line, path))) ?? [])
  }

  get(field: Field): string | undefined {
    const { text, unit } = this.found(field) ?? {}
    return present(text !== undefined && field === 'duration' ? withUnit(text, unit) : text)
  }

  text(field: Field): string | undefined {
    return this.get(field)
  }

  has(part: Part): boolean {
    return this.#names.of[part] !== undefined
  }

  startOf(): number {
    return 0
  }

  header(name: string): string | undefined {
    return headerOf(this.#line, name)
  }

  named(name: string): unknown {
    return valueAt(this.#line, name.split('.'))
  }
}

/** Marks a request of two lines. */
const joined = Symbol('joined')
