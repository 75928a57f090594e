import { assertComplete, type Pattern, type Role } from './grammar.js'
import { BadLine, type Format, type LineReader, type Meaning, type Reading } from './record.js'
import { readRequest, type Part, type Raw } from './request.js'
import { TimeReader } from './time.js'
import { decoded, digitsIn, textOf } from './values.js'

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

/** How the end of a field is found. */
type EndKind = 'upTo' | 'quoted' | 'list' | 'last' | 'rest' | 'word'

interface Step {
  readonly kind: EndKind
  /** The text after the field, and its first character, for which a search is faster. */
  readonly after: string
  readonly first: string
  readonly canBeEmpty: boolean
  /** What the text must look like. */
  readonly form: RegExp | undefined
}

const byteCount = /^(?:\d{1,15}|-1?)$/
const hostName = /^(?:[\w.*-]+|\[[\da-f:.]+\])(?::\d+)?$/i

/** Most of these texts are short numbers, which have both forms. */
function hasForm(form: RegExp, line: string, from: number, to: number): boolean {
  const isShort = to > from && to - from <= 15
  return (isShort && digitsIn(line, from, to) >= 0) || form.test(line.slice(from, to))
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
    // A host before the address could be another address of a list.
    const isFirst = role === 'host' && fields.findIndex((one) => one.role === 'ip') > i
    const form = role === 'bytes' ? byteCount : isFirst ? hostName : undefined
    return { kind, after, first: after.charAt(0), canBeEmpty, form }
  })
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
  readonly unit: string | undefined
  readonly port: 'never' | 'always'
  readonly entry: number | undefined
  readonly #steps: readonly Step[]
  readonly #meaning: Meaning
  readonly #times: TimeReader
  /** The first field of each role. */
  readonly #byRole = new Map<Role, number>()
  readonly #byName: ReadonlyMap<string, number>
  /** The line whose fields are known, and where each of them starts and ends. */
  #line = ''
  readonly #places: Int32Array

  constructor(pattern: Pattern, meaning: Meaning) {
    const { fields } = pattern
    this.pattern = pattern
    for (const [i, { role }] of fields.entries()) {
      const part = forms[role] ?? role
      if (!this.#byRole.has(part)) this.#byRole.set(part, i)
    }
    this.unit = fields[this.fieldOf('duration') ?? 0].unit
    this.port = fields[this.fieldOf('ip') ?? 0].role === 'endpoint' ? 'always' : 'never'
    this.entry = fields[this.fieldOf('forwarded') ?? 0].entry
    this.#steps = stepsOf(pattern)
    this.#meaning = meaning
    const form = fields[this.fieldOf('time') ?? this.fieldOf('start') ?? 0].form
    this.#times = new TimeReader(meaning.zoneMs, form === undefined ? undefined : [form])
    this.#places = new Int32Array(2 * fields.length)
    this.#byName = new Map(
      fields.flatMap(({ name, entries = [name] }, i) => entries.map((one) => [one, i] as const)),
    )
  }

  fieldOf(role: Role): number | undefined {
    return this.#byRole.get(role)
  }

  has(field: string): boolean {
    if (field === 'ip') return this.#byRole.has('ip') || this.#byRole.has('forwarded')
    if (field === 'user') return this.#byRole.has('user')
    if (field === 'host') return this.#byRole.has('host') || this.#byName.has('domain_name')
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
    return this.#match(line) ?? readRequest(new RawLine(this, line), this.#meaning, this.#times)
  }

  /** Where a field starts. Most fields of most lines are never read, so a line does not keep its places. */
  startOf(line: string, i: number): number {
    if (line !== this.#line) this.#match(line)
    return this.#places[2 * i]
  }

  bytesOf(line: string, i: number): string {
    if (line !== this.#line) this.#match(line)
    return line.slice(this.#places[2 * i], this.#places[2 * i + 1])
  }

  /** Finds where each field starts and ends. A line fits from its first character to its last, or not at all. */
  #match(line: string): BadLine | undefined {
    const { fields, literals } = this.pattern
    this.#line = line
    let at = literals[0].length
    if (!line.startsWith(literals[0])) return bad(`no ${shown(literals[0])}`, 0)
    for (let i = 0; i < fields.length; i++) {
      const step = this.#steps[i]
      const end = endOf(step, line, at)
      if (end < at || (end === at && !step.canBeEmpty)) {
        return (
          this.#firstWrong(line, i) ?? bad(`no ${shown(step.after)} after ${fields[i].name}`, at)
        )
      }
      if (step.form !== undefined && !hasForm(step.form, line, at, end)) {
        return (
          this.#firstWrong(line, i) ??
          bad(`no ${fields[i].role === 'bytes' ? 'number of bytes' : 'host name'}`, at)
        )
      }
      this.#places[2 * i] = at
      this.#places[2 * i + 1] = end
      at = end + step.after.length
    }
    if (at === line.length) return undefined
    return this.#firstWrong(line, fields.length) ?? bad('more than the format has', at)
  }

  /** A line that does not fit stops fitting at the first field that does not look like what it is. */
  #firstWrong(line: string, length: number): BadLine | undefined {
    const { fields } = this.pattern
    for (let i = 0; i < length; i++) {
      const [from, to] = [this.#places[2 * i], this.#places[2 * i + 1]]
      if (looks[fields[i].role]?.test(line.slice(from, to)) === false)
        return bad(`no ${fields[i].name}`, from)
    }
    return undefined
  }
}

const looks: Readonly<Partial<Record<Role, RegExp>>> = {
  ip: /^(?:[\da-f.:]+|-)$/i,
  endpoint: /:\d+$/,
  time: /^[^ ]*\d\d:\d\d|^\d+(?:\.\d+)?$/,
  start: /^[^ ]*\d\d:\d\d/,
  status: /^(?:\d{3}|-|-1|0)$/,
  duration: /^[\d.]/,
  timers: /^[-\d]+\//,
}

/** A line that fits a pattern. */
class RawLine implements Raw {
  readonly #reader: PatternReader
  readonly #line: string

  constructor(reader: PatternReader, line: string) {
    this.#reader = reader
    this.#line = line
  }

  get(part: Part): string | undefined {
    const i = this.#reader.fieldOf(part)
    if (i === undefined) return undefined
    const bytes = this.#bytes(i)
    if (bytes === '-' || bytes === '') return undefined
    const { role, name } = this.#reader.pattern.fields[i]
    const clock = role === 'date' ? this.#reader.fieldOf('clock') : undefined
    if (clock !== undefined) return `${bytes} ${this.#bytes(clock)}`
    if (part !== 'duration') return bytes
    // HAProxy writes the parts of a duration and then their sum, and -1 if there is none.
    const taken = role === 'timers' ? (timers.exec(bytes)?.[1] ?? 'none') : bytes
    if (taken === '-1') return undefined
    // nginx always writes milliseconds. A whole number has another unit.
    return name === 'request_time' && !taken.includes('.') ? 'none' : taken
  }

  text(part: Part): string | undefined {
    const i = this.#reader.fieldOf(part)
    return i === undefined ? undefined : this.#decoded(i)
  }

  has(part: Part): boolean {
    return this.#reader.fieldOf(part) !== undefined
  }

  at(part: Part): number {
    return this.#reader.startOf(this.#line, this.#reader.fieldOf(part) ?? 0)
  }

  get unit(): string | undefined {
    return this.#reader.unit
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

  field(name: string): unknown {
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
    return this.#reader.bytesOf(this.#line, i)
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

function bad(reason: string, at: number): BadLine {
  return new BadLine(reason, at)
}

function shown(literal: string): string {
  return literal === '' ? 'end' : JSON.stringify(literal)
}

/** The end of a field, or -1. */
function endOf({ kind, after, first }: Step, line: string, at: number): number {
  switch (kind) {
    case 'upTo':
    case 'list': {
      for (let end = line.indexOf(first, at); end > 0; end = line.indexOf(first, end + 1)) {
        const isAfter = after.length === 1 || line.startsWith(after, end)
        if (isAfter && (kind === 'upTo' || line.charCodeAt(end - 1) !== comma)) return end
      }
      return -1
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
