import {
  BadLine,
  type Format,
  type LineReader,
  type LogRecord,
  type Meaning,
  type Reading,
} from './record.js'
import { isPossible, timeForms, TimeReader, type TimeForm } from './time.js'
import {
  decoded,
  digitsIn,
  readAddress,
  readCount,
  readDuration,
  readEndpoint,
  readForwarded,
  readHost,
  readRequest,
  readStatus,
  readTarget,
  textOf,
  type Address,
  type Escape,
} from './values.js'

/** What a field is. `text` is read only if somebody asks for it, and `rest` is everything up to the end of the line, if there is any. */
const roles = [
  'ip',
  'endpoint',
  'forwarded',
  'time',
  'start',
  'date',
  'clock',
  'duration',
  'timers',
  'request',
  'method',
  'url',
  'query',
  'status',
  'host',
  'user',
  'bytes',
  'list',
  'text',
  'rest',
] as const
type Role = (typeof roles)[number]

export interface Field {
  readonly name: string
  readonly role: Role
  readonly unit?: string | undefined
  readonly form?: TimeForm | undefined
}

/** A line of a format, from its first character to its last: fields, and the texts around them. */
export interface Pattern {
  readonly fields: readonly Field[]
  /** The text before each field, and after the last one. */
  readonly literals: readonly string[]
  readonly escape: Escape
}

/** A table of `name=role`, with the unit or the form of the field after a colon. */
function fieldsOf(text: string): ReadonlyMap<string, Omit<Field, 'name'>> {
  return new Map(
    text.split(' ').map((entry) => {
      const [name, given, detail] = entry.split(/[=:]/)
      const role = roles.find((one) => one === given) ?? 'text'
      return [name, { role, unit: detail, form: timeForms.find((one) => one === detail) }]
    }),
  )
}

/** What the variables of nginx and those of our own declarations are. All others are texts. */
const variables = fieldsOf(
  'remote_addr=ip client=endpoint forwarded=forwarded forwarded_list=list http_x_forwarded_for=forwarded proxy_add_x_forwarded_for=forwarded ' +
    'time_zoned=time:zoned time_local=time:clf time_iso8601=time:iso msec=time:unix end=time:iso start=start:iso accepted=start:clf ' +
    'request_time=duration:s duration_ms=duration:ms timers=timers:ms request=request request_method=method request_uri=url uri=url status=status ' +
    'host=host http_host=host server_name=host remote_user=user body_bytes_sent=bytes bytes_sent=bytes bytes_received=bytes',
)

function variable(name: string): Field {
  return { name, ...(variables.get(name) ?? { role: 'text' }) }
}

/**
 * Compiles a `log_format` of nginx, such as `$remote_addr [$time_local] "$request" $status $request_time`.
 *
 * @throws Error if two variables have no text between them
 */
export function nginxPattern(text: string): Pattern {
  const parts: (string | Field)[] = []
  let at = 0
  for (const match of text.matchAll(/\$(?:\{(\w+)\}|(\w+))/g)) {
    const name = match[1] ?? match[2]
    parts.push(text.slice(at, match.index), variable(name))
    at = match.index + match[0].length
  }
  return patternOf([...parts, text.slice(at)])
}

/** The directives of Apache, with the names that nginx has for them. */
const directives = fieldsOf(
  'h=remote_addr a=remote_addr u=remote_user r=request m=request_method U=uri s=status b=bytes_sent B=bytes_sent O=bytes_sent v=host V=host',
)

/** Times of `%{…}t` that can be read. */
const apacheTimes: Readonly<Record<string, TimeForm>> = {
  sec: 'unix',
  msec: 'unix',
  usec: 'unix',
  '%d/%b/%Y:%H:%M:%S %z': 'clf',
  '%Y-%m-%dT%H:%M:%S%z': 'iso',
  '%Y-%m-%d %H:%M:%S %z': 'iso',
}

/**
 * Compiles a `LogFormat` of Apache, such as `%h %l %u %t "%r" %>s %b`.
 *
 * @throws Error if a time has a form that cannot be read
 */
export function apachePattern(text: string): Pattern {
  const format = text.replaceAll(String.raw`\"`, '"').replaceAll(String.raw`\t`, '\t')
  const parts: (string | Field)[] = []
  let at = 0
  for (const match of format.matchAll(
    /%[<>]?(?:!?\d{3}(?:,\d{3})*)?(?:\{([^}]*)\})?(\^t[io]|[a-zA-Z%])/g,
  )) {
    const [whole, argument, letter] = match
    parts.push(format.slice(at, match.index), ...apacheField(argument, letter))
    at = match.index + whole.length
  }
  return patternOf([...parts, format.slice(at)])
}

function apacheField(argument: string | undefined, letter: string): readonly (string | Field)[] {
  if (argument === undefined) {
    // %t is the time at which the request was received.
    if (letter === 't') return ['[', { role: 'start', name: 'time', form: 'clf' }, ']']
    if (letter === '%') return ['%']
    if (letter === 'D' || letter === 'T') return [durationIn(letter === 'D' ? 'us' : 's')]
    if (letter === 'q') return [{ role: 'query', name: 'query' }]
    return [variable(directives.get(letter)?.role ?? letter)]
  }
  const name = argument.toLowerCase().replaceAll('-', '_')
  if (letter === 'i') return [variable(`http_${name}`)]
  if (letter === 'T') return [durationIn(argument)]
  if (letter !== 't') return [{ role: 'text', name }]
  const form = apacheTimes[argument.replace(/^(?:begin|end):/, '')]
  if (form === undefined) {
    throw new Error(`--log-format: a time %{${argument}}t cannot be read: log %t, or %{msec}t`)
  }
  return [{ role: argument.startsWith('end:') ? 'time' : 'start', name: 'time', form }]
}

function durationIn(unit: string): Field {
  return { role: 'duration', name: 'duration', unit }
}

/** Joins texts that follow each other, and an address with its port. */
function patternOf(parts: readonly (string | Field)[], escape: Escape = 'backslash'): Pattern {
  const literals: string[] = ['']
  const fields: Field[] = []
  for (const part of parts) {
    const last = literals.length - 1
    const before = fields.at(-1)
    if (typeof part === 'string') literals[last] += part
    else if (before?.role === 'ip' && literals[last] === ':') {
      fields[last - 1] = { ...before, role: 'endpoint' }
      literals[last] = ''
    } else if (before !== undefined && literals[last] === '') {
      if (before.role !== 'url' || part.role !== 'query') {
        throw new Error(`--log-format: ${before.name} and ${part.name} need text between them`)
      }
    } else {
      fields.push(part)
      literals.push('')
    }
  }
  return { fields, literals, escape }
}

/** The pattern of a W3C log, whose line `#Fields:` names the fields. */
export function fieldsPattern(
  fields: readonly Field[],
  separator: string,
  escape: Escape,
): Pattern {
  return { fields, literals: ['', ...fields.slice(1).map(() => separator), ''], escape }
}

/** A format whose lines all have one of these patterns. */
export function patternFormat(name: string, patterns: readonly Pattern[]): Format {
  for (const pattern of patterns) assertComplete(name, pattern)
  return {
    name,
    open(meaning) {
      const readers = patterns.map((pattern) => new PatternReader(pattern, meaning))
      if (readers.length === 1) return readers[0]
      return {
        has: (field) => readers.some((reader) => reader.has(field)),
        isZoneless: () => readers.some((reader) => reader.isZoneless()),
        read(line) {
          let furthest: Reading = ''
          for (const reader of readers) {
            const reading = reader.read(line)
            if (!(reading instanceof BadLine)) return reading
            if (!(furthest instanceof BadLine) || reading.at > furthest.at) furthest = reading
          }
          return furthest
        },
      }
    },
  }
}

function assertComplete(name: string, { fields }: Pattern): void {
  const has = (...wanted: readonly Role[]): boolean =>
    fields.some(({ role }) => wanted.includes(role))
  const missing = !has('time', 'start', 'date')
    ? '$msec, $time_iso8601 or $time_local (%t)'
    : !has('status')
      ? '$status (%>s)'
      : !has('request') && !(has('method') && has('url'))
        ? '$request, or $request_method and $request_uri (%r)'
        : undefined
  if (missing !== undefined) throw new Error(`--log-format ${name}: a replay needs ${missing}`)
}

/** How the end of a field is found. */
type EndKind = 'upTo' | 'quoted' | 'list' | 'last' | 'rest' | 'word'

interface Step {
  readonly kind: EndKind
  /** The text after the field, and its first character, for which a search is faster. */
  readonly after: string
  readonly first: string
  readonly isLong: boolean
  readonly canBeEmpty: boolean
}

function stepsOf({ fields, literals }: Pattern): readonly Step[] {
  return fields.map(({ role }, i) => {
    const after = literals[i + 1]
    const isQuoted = literals[i].endsWith('"') && after.startsWith('"')
    const isLast = i === fields.length - 1
    const kind =
      role === 'rest'
        ? 'rest'
        : fields[i + 1]?.role === 'rest'
          ? 'word'
          : isQuoted
            ? 'quoted'
            : role === 'list'
              ? 'list'
              : isLast
                ? 'last'
                : 'upTo'
    // Only a field between quotes or after `name=` can be empty.
    const canBeEmpty = isQuoted || role === 'rest' || literals[i].endsWith('=')
    return { kind, after, first: after.charAt(0), isLong: after.length > 1, canBeEmpty }
  })
}

type Places = Readonly<
  Record<Exclude<Role, 'endpoint' | 'date' | 'timers' | 'list' | 'text' | 'rest'>, number>
>

/** The first field of each part of a request, or -1. */
function placesOf(fields: readonly Field[]): Places {
  const place = (...wanted: readonly Role[]): number =>
    fields.findIndex(({ role }) => wanted.includes(role))
  return {
    ip: place('ip', 'endpoint'),
    forwarded: place('forwarded', 'list'),
    time: place('time', 'date'),
    start: place('start'),
    clock: place('clock'),
    duration: place('duration', 'timers'),
    request: place('request'),
    method: place('method'),
    url: place('url'),
    query: place('query'),
    status: place('status'),
    host: place('host'),
    user: place('user'),
    bytes: place('bytes'),
  }
}

export class PatternReader implements LineReader {
  readonly fields: readonly Field[]
  readonly escape: Escape
  readonly times: TimeReader
  readonly #before: string
  readonly #steps: readonly Step[]
  readonly #meaning: Meaning
  readonly #byName: ReadonlyMap<string, number>
  /** The places of the fields of the current line. */
  readonly #places: Int32Array
  /** The first field of each role, or -1. */
  readonly at: Places
  readonly #counted: readonly number[]

  constructor(pattern: Pattern, meaning: Meaning) {
    const { fields, literals, escape } = pattern
    this.at = placesOf(fields)
    this.fields = fields
    this.escape = escape
    this.#before = literals[0]
    this.#steps = stepsOf(pattern)
    this.#meaning = meaning
    const { form } = fields[Math.max(this.at.time, this.at.start)]
    this.times = new TimeReader(meaning.zoneMs, form === undefined ? undefined : [form])
    this.#places = new Int32Array(2 * fields.length)
    this.#byName = new Map(fields.map(({ name }, i) => [name, i]))
    this.#counted = fields.flatMap(({ role }, i) => (role === 'bytes' ? [i] : []))
  }

  has(field: string): boolean {
    switch (field) {
      case 'ip':
        return this.at.ip !== -1 || this.at.forwarded !== -1
      case 'user':
        return this.at.user !== -1
      case 'host':
        return this.at.host !== -1 || this.#byName.has('domain_name')
      case 'method':
      case 'path':
      case 'status':
      case 'bytes':
        return true
      default:
        return this.placeOf(field) !== undefined
    }
  }

  isZoneless(): boolean {
    return this.times.isZoneless
  }

  /** `header.user-agent` is logged as `$http_user_agent` or `cs(user-agent)`, `field.NAME` as `$NAME`. */
  placeOf(field: string): number | undefined {
    const name = field.slice(field.indexOf('.') + 1)
    if (!field.startsWith('header.')) return this.#byName.get(name)
    return this.#byName.get(`http_${name.replaceAll('-', '_')}`) ?? this.#byName.get(`cs(${name})`)
  }

  read(line: string): Reading {
    // Most fields of most lines are never read, so a record does not keep their places.
    return this.match(line, this.#places) ?? this.#request(line, this.#places)
  }

  /** Finds where each field starts and ends. A line fits from its first character to its last, or not at all. */
  match(line: string, places: Int32Array): BadLine | undefined {
    const steps = this.#steps
    if (!line.startsWith(this.#before)) return bad(`no ${shown(this.#before)}`, 0)
    let at = this.#before.length
    for (let i = 0; i < steps.length; i++) {
      const step = steps[i]
      const end = endOf(step, line, at)
      if (end < at || (end === at && !step.canBeEmpty)) {
        return bad(`no ${shown(step.after)} after ${this.fields[i].name}`, at)
      }
      places[2 * i] = at
      places[2 * i + 1] = end
      at = end + step.after.length
    }
    return at === line.length ? undefined : bad('more than the format has', at)
  }

  #request(line: string, places: Int32Array): Reading {
    const durationMs = this.at.duration === -1 ? undefined : this.#durationOf(line, places)
    if (durationMs === -1) return wrong('no duration', places, this.at.duration)
    const end = this.at.time === -1 ? undefined : this.#timeAt(line, places, this.at.time)
    const start = this.at.start === -1 ? undefined : this.#timeAt(line, places, this.at.start)
    const time = end ?? (start ?? 0) + (durationMs ?? 0)
    const taken = end === undefined || start === undefined ? durationMs : Math.max(0, end - start)
    const timeAt = this.at.time === -1 ? this.at.start : this.at.time
    if (Number.isNaN(time) || Number.isNaN(taken)) return wrong('no time', places, timeAt)
    if (!isPossible(time - (taken ?? 0)) || !isPossible(time))
      return wrong('impossible time', places, timeAt)
    const address = this.#address(line, places)
    if (address instanceof BadLine) return address
    // A host before the address could be another address of a list.
    const isHost =
      this.at.host === -1 ||
      this.at.host > this.at.ip ||
      hostName.test(this.textAt(line, places, this.at.host))
    if (!isHost) return wrong('no host name', places, this.at.host)
    for (const i of this.#counted) {
      const from = places[2 * i]
      const to = places[2 * i + 1]
      if (digitsIn(line, from, to) === -1 && !isAbsent(line.slice(from, to)))
        return wrong('no number of bytes', places, i)
    }
    const status = readStatus(line, places[2 * this.at.status], places[2 * this.at.status + 1])
    if (status === -1) {
      const text = this.textAt(line, places, this.at.status)
      // The connection ended before the response.
      return isAbsent(text) || text === '0' || text === '000'
        ? 'no status'
        : wrong('no status', places, this.at.status)
    }
    if (this.at.request !== -1) {
      if (readRequest(line, places[2 * this.at.request], places[2 * this.at.request + 1]) === -1)
        return 'not HTTP'
    } else if (
      isAbsent(this.textAt(line, places, this.at.method)) ||
      isAbsent(this.textAt(line, places, this.at.url))
    )
      return 'not HTTP'
    return new PatternRecord(
      this,
      line,
      time,
      taken,
      status,
      address,
      this.isForwarded(line, places),
    )
  }

  textAt(line: string, places: Int32Array, i: number): string {
    return line.slice(places[2 * i], places[2 * i + 1])
  }

  #timeAt(line: string, places: Int32Array, i: number): number {
    if (this.at.clock !== -1)
      return this.times.read(
        `${this.textAt(line, places, i)} ${this.textAt(line, places, this.at.clock)}`,
      )
    return this.times.readAt(line, places[2 * i], places[2 * i + 1])
  }

  /** The duration; undefined if the line has none, -1 if it cannot be read. */
  #durationOf(line: string, places: Int32Array): number | undefined {
    const { role, unit, name } = this.fields[this.at.duration]
    const text = this.textAt(line, places, this.at.duration)
    // HAProxy writes the parts of a duration and then their sum.
    const taken = role === 'timers' ? (timers.exec(text)?.[1] ?? 'none') : text
    // Without it, the end of a request is not known from its start.
    if (isAbsent(taken)) return this.at.time === -1 ? -1 : undefined
    // nginx always writes milliseconds. A whole number has another unit.
    const isWhole = name === 'request_time' && !taken.includes('.')
    return isWhole ? -1 : (readDuration(taken, unit) ?? -1)
  }

  #address(line: string, places: Int32Array): Address | undefined | BadLine {
    const { address: choice } = this.#meaning
    const { ip, forwarded } = this.at
    const inList = choice === 'remote' ? undefined : choice
    if (forwarded !== -1 && choice !== 'remote' && (choice !== undefined || ip === -1)) {
      const list = this.textAt(line, places, forwarded)
      if (!isAbsent(list)) return known(readForwarded(list, inList), places, forwarded)
    }
    if (ip === -1) return undefined
    const text = this.textAt(line, places, ip)
    if (this.fields[ip].role === 'endpoint') return known(readEndpoint(text), places, ip)
    const found = readAddress(text) ?? readForwarded(text, inList)
    // A server writes the address of a connection without its port.
    const isBare =
      typeof found !== 'object' || found.text.length === text.length || /[,%]/.test(text)
    return known(isBare ? found : undefined, places, ip)
  }

  isForwarded(line: string, places: Int32Array): boolean {
    const i = this.at.forwarded
    if (i === -1 || this.at.ip === -1) return false
    const length = places[2 * i + 1] - places[2 * i]
    return length > 1 && line.charCodeAt(places[2 * i]) !== 0x2d
  }
}

const timers = /^-?\d+(?:\/-?\d+){3}\/(?:\+?)(-?\d+)$/

const hostName = /^(?:[\w.*-]+|\[[\da-f:.]+\])(?::\d+)?$/i

/** The reason why a list gives no address. */
export const severalAddresses = 'several addresses'

function known(
  found: Address | 'list' | undefined,
  places: Int32Array,
  at: number,
): Address | BadLine {
  return typeof found === 'object'
    ? found
    : wrong(found === 'list' ? severalAddresses : 'no address', places, at)
}

function wrong(reason: string, places: Int32Array, at: number): BadLine {
  return new BadLine(reason, places[2 * at], true)
}

function isAbsent(bytes: string): boolean {
  return bytes === '-' || bytes === '' || bytes === '-1'
}

function bad(reason: string, at: number): BadLine {
  return new BadLine(reason, at)
}

function shown(literal: string): string {
  return literal === '' ? 'end' : JSON.stringify(literal)
}

/** The end of a field, or -1. */
function endOf({ kind, after, first, isLong }: Step, line: string, at: number): number {
  switch (kind) {
    case 'upTo':
    case 'list': {
      const isEnd = (end: number): boolean =>
        (!isLong || line.startsWith(after, end)) &&
        (kind !== 'list' || line.charCodeAt(end - 1) !== comma)
      let end = line.indexOf(first, at)
      while (end > 0 && !isEnd(end)) end = line.indexOf(first, end + 1)
      return end
    }
    case 'quoted': {
      const end = closingQuote(line, at)
      return end !== -1 && line.startsWith(after, end) ? end : -1
    }
    case 'last': {
      const end = line.length - after.length
      const space = line.indexOf(' ', at)
      return line.endsWith(after) && (space === -1 || space >= end) ? end : -1
    }
    case 'word': {
      const end = line.indexOf(' ', at)
      return end === -1 ? line.length : end
    }
    case 'rest':
      return line.length > at && line.charCodeAt(at) !== space ? -1 : line.length
  }
}

const comma = 0x2c
const space = 0x20

/** The quote that ends a quoted field, or -1. An escaped quote does not end it. */
function closingQuote(line: string, at: number): number {
  let end = line.indexOf('"', at)
  while (end !== -1) {
    let backslashes = 0
    while (end - backslashes > at && line.charCodeAt(end - backslashes - 1) === 0x5c) backslashes++
    if (backslashes % 2 === 0) return end
    end = line.indexOf('"', end + 1)
  }
  return -1
}

/** Keeps the line, and finds its fields again if one is read. */
class PatternRecord implements LogRecord {
  at: number
  readonly time: number
  readonly durationMs: number | undefined
  readonly status: number
  readonly address: Address | undefined
  readonly #reader: PatternReader
  readonly #line: string
  #found: Int32Array | undefined
  readonly isForwarded: boolean

  constructor(
    reader: PatternReader,
    line: string,
    time: number,
    durationMs: number | undefined,
    status: number,
    address: Address | undefined,
    isForwarded: boolean,
  ) {
    this.at = time
    this.time = time
    this.durationMs = durationMs
    this.status = status
    this.address = address
    this.#reader = reader
    this.#line = line
    this.isForwarded = isForwarded
  }

  get #places(): Int32Array {
    if (this.#found === undefined) {
      this.#found = new Int32Array(2 * this.#reader.fields.length)
      this.#reader.match(this.#line, this.#found)
    }
    return this.#found
  }

  get method(): string {
    const { request, method } = this.#reader.at
    return request === -1
      ? this.#bytes(method)
      : this.#line.slice(this.#places[2 * request], this.#methodEnd)
  }

  get #methodEnd(): number {
    return this.#line.indexOf(' ', this.#places[2 * this.#reader.at.request])
  }

  get #target(): { readonly url: string; readonly host?: string } {
    const { request, url, query } = this.#reader.at
    if (request !== -1) {
      const end = readRequest(this.#line, this.#places[2 * request], this.#places[2 * request + 1])
      return readTarget(decoded(this.#line.slice(this.#methodEnd + 1, end), 'backslash') ?? '')
    }
    const path = this.#decoded(url) ?? ''
    const more = query === -1 ? undefined : this.#decoded(query)?.replace(/^\?/, '')
    return readTarget(more === undefined ? path : `${path}?${more}`)
  }

  get url(): string {
    return this.#target.url
  }

  get host(): string | undefined {
    const { host } = this.#reader.at
    const stated = host === -1 ? undefined : this.#decoded(host)
    return stated === undefined ? this.#target.host : readHost(stated)
  }

  get user(): string | undefined {
    return this.#reader.at.user === -1 ? undefined : this.#decoded(this.#reader.at.user)
  }

  get bytes(): number | undefined {
    return this.#reader.at.bytes === -1 ? undefined : readCount(this.#bytes(this.#reader.at.bytes))
  }

  header(name: string): string | undefined {
    const place = this.#reader.placeOf(`header.${name}`)
    return place === undefined ? undefined : decoded(this.#bytes(place), this.#reader.escape)
  }

  field(name: string): unknown {
    if (name === 'bytes') return this.bytes
    const place = this.#reader.placeOf(`field.${name}`)
    return place === undefined ? undefined : this.#decoded(place)
  }

  #bytes(place: number): string {
    return this.#reader.textAt(this.#line, this.#places, place)
  }

  /** Only header fields have the escapes of W3C logs. */
  #decoded(place: number): string | undefined {
    const { escape } = this.#reader
    const bytes = this.#bytes(place)
    if (escape === 'backslash') return decoded(bytes, escape)
    return bytes === '-' || bytes === '' ? undefined : textOf(bytes)
  }
}
