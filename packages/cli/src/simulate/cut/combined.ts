import { LogTime, logTimeLength } from './log-time.js'
import type { Cutter, LogRecord, SkipReason } from './record.js'
import { closingQuote, digits, textOf, unescaped } from './text.js'

const fields = new Set(['ip', 'user', 'method', 'path', 'status', 'bytes'])
const headers = new Set(['header.referer', 'header.user-agent'])

/**
 * The formats `common` and `combined` of Apache and nginx:
 * `address ident user [17/May/2015:10:05:03 +0000] "GET /path HTTP/1.1" 200 1234 "referer" "user agent"`. Further fields are ignored.
 */
export function combinedCutter(format: 'combined' | 'common' = 'combined'): Cutter {
  const time = new LogTime()
  const withHeaders = format === 'combined'
  return {
    format,
    has: (field) => fields.has(field) || (withHeaders && headers.has(field)),
    cut: (text, start, end) => cutCombined(time, withHeaders, text, start, end),
  }
}

function cutCombined(
  times: LogTime,
  withHeaders: boolean,
  text: string,
  start: number,
  end: number,
): LogRecord | SkipReason {
  const ipEnd = text.indexOf(' ', start)
  if (ipEnd === -1 || ipEnd >= end || ipEnd === start) return 'no fields'
  const bracket = text.indexOf('[', ipEnd)
  const timeEnd = bracket + 1 + logTimeLength
  if (bracket === -1 || timeEnd >= end) return 'no time'
  const time = times.read(text, bracket + 1)
  if (time === -1 || text.charCodeAt(timeEnd) !== closingBracket) return 'no time'
  const request = timeEnd + 3
  if (text.charCodeAt(timeEnd + 2) !== quote) return 'no request'
  const requestEnd = closingQuote(text, request, end)
  if (requestEnd === -1) return 'no request'
  const methodEnd = text.indexOf(' ', request)
  const urlEnd = text.lastIndexOf(' ', requestEnd)
  if (methodEnd === -1 || urlEnd <= methodEnd || !text.startsWith('HTTP/', urlEnd + 1)) {
    return 'not HTTP'
  }
  const status = digits(text, requestEnd + 2, requestEnd + 5)
  if (status < 100) return 'no status'
  const afterStatus = requestEnd + 5
  if (withHeaders && !hasHeaders(text, afterStatus, end)) return 'no referer and user agent'
  return new CombinedRecord(
    text,
    start,
    end,
    ipEnd,
    bracket,
    time,
    request,
    methodEnd,
    urlEnd,
    status,
    afterStatus,
  )
}

const closingBracket = 0x5d
const quote = 0x22

function hasHeaders(text: string, afterStatus: number, end: number): boolean {
  const at = text.indexOf('"', afterStatus)
  return at !== -1 && at < end
}

/** Stores the positions of fields, because most fields of most lines are never read. */
class CombinedRecord implements LogRecord {
  readonly time: number
  at: number
  readonly status: number
  readonly #text: string
  readonly #start: number
  readonly #end: number
  readonly #ipEnd: number
  readonly #bracket: number
  readonly #request: number
  readonly #methodEnd: number
  readonly #urlEnd: number
  readonly #afterStatus: number

  constructor(
    text: string,
    start: number,
    end: number,
    ipEnd: number,
    bracket: number,
    time: number,
    request: number,
    methodEnd: number,
    urlEnd: number,
    status: number,
    afterStatus: number,
  ) {
    this.time = time
    this.at = time
    this.status = status
    this.#text = text
    this.#start = start
    this.#end = end
    this.#ipEnd = ipEnd
    this.#bracket = bracket
    this.#request = request
    this.#methodEnd = methodEnd
    this.#urlEnd = urlEnd
    this.#afterStatus = afterStatus
  }

  get durationMs(): undefined {
    return undefined
  }

  get host(): undefined {
    return undefined
  }

  get ip(): string {
    return this.#text.slice(this.#start, this.#ipEnd)
  }

  get method(): string {
    return this.#text.slice(this.#request, this.#methodEnd)
  }

  get url(): string {
    return textOf(unescaped(this.#text.slice(this.#methodEnd + 1, this.#urlEnd)))
  }

  /** The text between the ident and the time. A user name can contain spaces. */
  get user(): string | undefined {
    const ident = this.#text.indexOf(' ', this.#ipEnd + 1)
    return present(this.#text.slice(ident + 1, this.#bracket - 1))
  }

  get bytes(): number | undefined {
    const at = this.#afterStatus + 1
    const space = this.#text.indexOf(' ', at)
    const value = digits(this.#text, at, space === -1 || space > this.#end ? this.#end : space)
    return value === -1 ? undefined : value
  }

  header(name: string): string | undefined {
    if (name !== 'referer' && name !== 'user-agent') return undefined
    const referer = this.#quoted(this.#afterStatus)
    if (referer === undefined) return undefined
    const range = name === 'referer' ? referer : this.#quoted(referer.end + 1)
    return range === undefined ? undefined : present(this.#text.slice(range.start, range.end))
  }

  field(name: string): unknown {
    return name === 'bytes' ? this.bytes : undefined
  }

  #quoted(from: number): { readonly start: number; readonly end: number } | undefined {
    const start = this.#text.indexOf('"', from) + 1
    if (start === 0 || start > this.#end) return undefined
    const end = closingQuote(this.#text, start, this.#end)
    return end === -1 ? undefined : { start, end }
  }
}

function present(bytes: string): string | undefined {
  return bytes === '-' || bytes === '' ? undefined : textOf(unescaped(bytes))
}
