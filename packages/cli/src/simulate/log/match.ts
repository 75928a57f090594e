import type { Pattern, Role } from './grammar.js'
import { BadLine } from './record.js'
import { digitsIn } from './values.js'

/** Finds the fields in lines of a pattern. */
export class Matcher {
  readonly #pattern: Pattern
  readonly #steps: readonly Step[]
  /** The line whose fields are known, and where each of them starts and ends. */
  #line = ''
  readonly #places: Int32Array

  constructor(pattern: Pattern) {
    this.#pattern = pattern
    this.#steps = stepsOf(pattern)
    this.#places = new Int32Array(2 * pattern.fields.length)
  }

  /** Finds where each field starts and ends. A line fits from its first character to its last, or not at all. */
  match(line: string): BadLine | undefined {
    const { fields, literals } = this.#pattern
    this.#line = line
    let at = literals[0].length
    if (!line.startsWith(literals[0])) return new BadLine(`no ${shown(literals[0])}`, 0)
    for (let i = 0; i < fields.length; i++) {
      const step = this.#steps[i]
      const end = endOf(step, line, at)
      if (end < at || (end === at && !step.canBeEmpty)) {
        return this.#misfit(line, i, `no ${shown(step.after)} after ${fields[i].name}`, at)
      }
      if (step.form !== undefined && !hasForm(step.form, line, at, end)) {
        const form = fields[i].role === 'bytes' ? 'number of bytes' : 'host name'
        return this.#misfit(line, i, `no ${form}`, at)
      }
      this.#places[2 * i] = at
      this.#places[2 * i + 1] = end
      at = end + step.after.length
    }
    if (at === line.length) return undefined
    return this.#misfit(line, fields.length, 'more than the format has', at)
  }

  /** Where a field starts. Most fields of most lines are never read, so a line does not keep its places. */
  startOf(line: string, i: number): number {
    if (line !== this.#line) this.match(line)
    return this.#places[2 * i]
  }

  bytesOf(line: string, i: number): string {
    if (line !== this.#line) this.match(line)
    return line.slice(this.#places[2 * i], this.#places[2 * i + 1])
  }

  /** A line that does not fit stops fitting at the first field that does not look like what it is. */
  #misfit(line: string, length: number, reason: string, at: number): BadLine {
    const { fields } = this.#pattern
    for (let i = 0; i < length; i++) {
      const [from, to] = [this.#places[2 * i], this.#places[2 * i + 1]]
      if (looks[fields[i].role]?.test(line.slice(from, to)) === false)
        return new BadLine(`no ${fields[i].name}`, from)
    }
    return new BadLine(reason, at)
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

interface Step {
  /** How the end of the field is found. */
  readonly kind: 'upTo' | 'quoted' | 'list' | 'last' | 'rest' | 'word'
  /** The text after the field, and its first character, for which a search is faster. */
  readonly after: string
  readonly first: string
  readonly canBeEmpty: boolean
  /** The characters that a field without quotes cannot contain. */
  readonly without: string
  /** The form that the text must have. */
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
  return fields.map(({ role, name }, i) => {
    const after = literals[i + 1]
    const isQuoted = literals[i].endsWith('"') && after.startsWith('"')
    const kind = kindOf(role, fields[i + 1]?.role, isQuoted)
    // Only a field between quotes or after `name=` can be empty.
    const canBeEmpty = isQuoted || role === 'rest' || literals[i].endsWith('=')
    // A host before the address could be another address of a list.
    const isFirst = role === 'host' && fields.findIndex((one) => one.role === 'ip') > i
    const form = role === 'bytes' ? byteCount : isFirst ? hostName : undefined
    const isSpaced = spaced.has(role) || literals[i].endsWith('{')
    const without = name === 'syslog' || role === 'user' ? '"' : isSpaced ? '' : ' '
    return { kind, after, first: after.charAt(0), canBeEmpty, without, form }
  })
}

function kindOf(role: Role, next: Role | undefined, isQuoted: boolean): Step['kind'] {
  if (role === 'rest') return role
  if (next === 'rest') return 'word'
  if (isQuoted) return 'quoted'
  if (role === 'list') return role
  return next === undefined ? 'last' : 'upTo'
}

function shown(literal: string): string {
  return literal === '' ? 'end' : JSON.stringify(literal)
}

/** The end of a field, or -1. */
function endOf({ kind, after, first, without }: Step, line: string, at: number): number {
  switch (kind) {
    case 'upTo':
    case 'list': {
      for (let end = line.indexOf(first, at); end > 0; end = line.indexOf(first, end + 1)) {
        const isAfter = after.length === 1 || line.startsWith(after, end)
        const isInList = kind === 'list' && line.charCodeAt(end - 1) === comma
        if (isAfter && !isInList) return end - at > 1 && isIn(line, without, at, end) ? -1 : end
        if (without === first) return -1
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

/** Whether a part of a line contains a character. */
function isIn(line: string, character: string, from: number, to: number): boolean {
  const at = character === '' ? -1 : line.indexOf(character, from)
  return at !== -1 && at < to
}

/** Times have spaces, and so have lists, of which an address can be one. */
const spaced: ReadonlySet<Role> = new Set(['time', 'start', 'ip', 'list', 'forwarded'])

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
