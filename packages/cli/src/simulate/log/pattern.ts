import { assertComplete, type Pattern, type Role } from './grammar.js'
import { Matcher } from './match.js'
import { BadLine, type Format, type LineReader, type Meaning, type Reading } from './record.js'
import { LoggedRequest, readRequest, type Part } from './request.js'
import { TimeReader } from './time.js'
import { decoded, textOf, withUnit } from './values.js'

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

/** The forms in which formats write a part. */
const forms: Readonly<Partial<Record<Role, Part>>> = {
  endpoint: 'ip',
  list: 'forwarded',
  date: 'time',
  timers: 'duration',
}

export class PatternReader implements LineReader {
  readonly pattern: Pattern
  readonly matcher: Matcher
  readonly port: 'never' | 'always'
  readonly entry: number | undefined
  readonly meaning: Meaning
  readonly #times: TimeReader
  /** The first field of each role. */
  readonly byRole: ReadonlyMap<Role, number>
  readonly #byName: ReadonlyMap<string, number>

  constructor(pattern: Pattern, meaning: Meaning) {
    const { fields } = pattern
    this.pattern = pattern
    const byRole = fields.map(({ role }, i) => [forms[role] ?? role, i] as const)
    this.byRole = new Map(byRole.toReversed())
    this.port = fields[this.byRole.get('ip') ?? 0].role === 'endpoint' ? 'always' : 'never'
    this.entry = fields[this.byRole.get('forwarded') ?? 0].entry
    this.matcher = new Matcher(pattern)
    this.meaning = meaning
    const form = fields[this.byRole.get('time') ?? this.byRole.get('start') ?? 0].form
    this.#times = new TimeReader(meaning.zoneMs, form === undefined ? undefined : [form])
    this.#byName = new Map(
      fields.flatMap(({ name, entries = [name] }, i) => entries.map((one) => [one, i] as const)),
    )
  }

  has(field: string): boolean {
    if (field === 'ip') return this.byRole.has('ip') || this.byRole.has('forwarded')
    if (field === 'user') return this.byRole.has('user')
    if (field === 'host') return this.byRole.has('host') || this.#byName.has('domain_name')
    return !field.includes('.') || this.named(field) !== undefined
  }

  isZoneless(): boolean {
    return this.#times.isZoneless
  }

  /** `header.user-agent` is logged as `$http_user_agent` or `cs(user-agent)`, `field.NAME` as `$NAME`. */
  named(field: string): number | undefined {
    const name = field.slice(field.indexOf('.') + 1)
    if (!field.startsWith('header.')) return this.#byName.get(name)
    return this.#byName.get(`http_${name.replaceAll('-', '_')}`) ?? this.#byName.get(`cs(${name})`)
  }

  read(line: string): Reading {
    return this.matcher.match(line) ?? readRequest(new PatternRequest(this, line), this.#times)
  }
}

/** A line that fits a pattern. */
class PatternRequest extends LoggedRequest {
  readonly #reader: PatternReader
  readonly #line: string

  constructor(reader: PatternReader, line: string) {
    super(reader.meaning)
    this.#reader = reader
    this.#line = line
  }

  get(part: Part): string | undefined {
    const i = this.#reader.byRole.get(part)
    if (i === undefined) return undefined
    const bytes = this.#bytes(i)
    if (bytes === '-' || bytes === '') return undefined
    const { role, name, unit } = this.#reader.pattern.fields[i]
    const clock = role === 'date' ? this.#reader.byRole.get('clock') : undefined
    if (clock !== undefined) return `${bytes} ${this.#bytes(clock)}`
    if (part !== 'duration') return bytes
    // HAProxy writes the parts of a duration and then their sum, and -1 if there is none.
    const taken = role === 'timers' ? (timers.exec(bytes)?.[1] ?? 'none') : bytes
    if (taken === '-1') return undefined
    // nginx always writes milliseconds. A whole number has another unit.
    return name === 'request_time' && !taken.includes('.') ? 'none' : withUnit(taken, unit)
  }

  text(part: Part): string | undefined {
    const i = this.#reader.byRole.get(part)
    return i === undefined ? undefined : this.#decoded(i)
  }

  has(part: Part): boolean {
    return this.#reader.byRole.has(part)
  }

  startOf(part: Part): number {
    return this.#reader.matcher.startOf(this.#line, this.#reader.byRole.get(part) ?? 0)
  }

  get port(): 'never' | 'always' {
    return this.#reader.port
  }

  get entry(): number | undefined {
    return this.#reader.entry
  }

  header(name: string): string | undefined {
    const i = this.#reader.named(`header.${name}`)
    return i === undefined ? undefined : decoded(this.#bytes(i), this.#reader.pattern.escape)
  }

  named(name: string): unknown {
    const i = this.#reader.named(`field.${name}`)
    if (i === undefined) return undefined
    const { entries } = this.#reader.pattern.fields[i]
    if (entries === undefined) return this.#decoded(i)
    return this.#bytes(i)
      .split(',')
      .at(entries.indexOf(name) - entries.length)
      ?.trim()
  }

  #bytes(i: number): string {
    return this.#reader.matcher.bytesOf(this.#line, i)
  }

  /** Only header fields have the escapes of W3C logs. */
  #decoded(i: number): string | undefined {
    const { escape } = this.#reader.pattern
    const bytes = this.#bytes(i)
    if (escape === 'backslash') return decoded(bytes, escape)
    return bytes === '-' || bytes === '' ? undefined : textOf(bytes)
  }
}

const timers = /^-?\d+(?:\/-?\d+){3}\/(?:\+?)(-?\d+)$/
