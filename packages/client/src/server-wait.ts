import { limitsIn } from './rate-limit-field.js'

/** The status and the headers of a response. */
export interface ResponseHead {
  readonly status: number
  readonly headers: { get(name: string): string | null }
}

/**
 * The time after which the server allows the next call, as far as a response says so: by `Retry-After` of a 403, 429 or 503, or by a limit of which nothing
 * remains. Undefined without a time.
 */
export function serverWaitMs({ status, headers }: ResponseHead): number | undefined {
  const date = headers.get('Date')
  // A time of the server is compared with the clock of the server.
  const now = (date === null ? undefined : dateIn(date)) ?? Date.now()
  if (status === 403 || status === 429 || status === 503) {
    const retryAfter = waitIn(headers.get('Retry-After'), now)
    if (retryAfter !== undefined) return retryAfter
  }
  const waits = [...waitsOfField(headers), ...waitsOfNumbers(headers, status, now)]
  return waits.length === 0 ? undefined : Math.max(...waits)
}

/** `RateLimit` of draft-ietf-httpapi-ratelimit-headers: those of its limits of which nothing remains. */
function waitsOfField(headers: ResponseHead['headers']): readonly number[] {
  const field = headers.get('RateLimit')
  const limits = field === null ? [] : limitsIn(field)
  return limits.flatMap(({ remaining, reset }) =>
    remaining === 0 && reset !== undefined ? [reset * 1000] : [],
  )
}

/** The fields with one value each: those of the earlier drafts, and those that nobody has specified. */
const prefixes = ['RateLimit', 'X-RateLimit', 'X-Rate-Limit']

/** The APIs of language models have two limits, each with fields of its own. */
const suffixes = ['', '-Requests', '-Tokens']

const fieldPairs = prefixes.flatMap((prefix) =>
  suffixes.map((suffix) => [`${prefix}-Remaining${suffix}`, `${prefix}-Reset${suffix}`] as const),
)

function waitsOfNumbers(
  headers: ResponseHead['headers'],
  status: number,
  now: number,
): readonly number[] {
  return fieldPairs.flatMap(([remainingName, resetName]) => {
    const remaining = headers.get(remainingName)
    // A 429 says by itself that nothing remains.
    const isUsedUp = remaining === null ? status === 429 : isLessThanOne(remaining)
    const wait = isUsedUp ? waitIn(headers.get(resetName), now) : undefined
    return wait === undefined ? [] : [wait]
  })
}

/** A server may count with fractions, and below zero. */
function isLessThanOne(remaining: string): boolean {
  return /^\s*-?\d+(?:\.\d+)?\s*$/.test(remaining) && Number(remaining) < 1
}

/** A wait: seconds, a moment, or a duration in the notation of Go. */
function waitIn(text: string | null, now: number): number | undefined {
  if (text === null) return undefined
  const moment = momentIn(text)
  return moment === undefined ? lengthIn(text) : Math.max(0, moment - now)
}

function lengthIn(text: string): number | undefined {
  const seconds = numberIn(text)
  return seconds === undefined ? goDurationIn(text) : seconds * 1000
}

// `ms` is before `m`, so that the pattern below finds it first.
const msOfUnit = new Map([
  ['h', 3_600_000],
  ['ms', 1],
  ['m', 60_000],
  ['s', 1000],
  ['us', 1e-3],
  ['µs', 1e-3],
  // A header is read as Latin-1, in which the two bytes of `µ` are two characters.
  ['Âµs', 1e-3],
  ['ns', 1e-6],
])

const part = `(\\d+(?:\\.\\d+)?)(${[...msOfUnit.keys()].join('|')})`
const goDuration = new RegExp(`^\\s*(?:${part})+\\s*$`)
const eachPart = new RegExp(part, 'g')

/** A duration in the notation of Go, such as `1.2s`, `6m0s`, `88ms`. */
function goDurationIn(text: string): number | undefined {
  if (!goDuration.test(text)) return undefined
  const parts = Array.from(text.matchAll(eachPart))
  return parts.reduce(
    (sum, [, count, unit = '']) => sum + Number(count) * (msOfUnit.get(unit) ?? 0),
    0,
  )
}

// Of a time without a unit, the magnitude tells what it is: a billion seconds are 31 years, and a hundred billion seconds since 1970 are the year 5138.
const leastEpochSeconds = 1e9
const leastEpochMs = 1e11

/** A moment as a date, or in seconds or milliseconds since 1970: a number that is too large for a wait. */
function momentIn(text: string): number | undefined {
  const number = numberIn(text)
  if (number === undefined) return dateIn(text)
  if (number >= leastEpochMs) return number
  return number >= leastEpochSeconds ? number * 1000 : undefined
}

function numberIn(text: string): number | undefined {
  return /^\s*\d+(?:\.\d+)?\s*$/.test(text) ? Number(text) : undefined
}

const datesOfHttp = /^\s*\w{3,9}, .* GMT\s*$/
/** The third form of a date in HTTP names no zone. */
const dateOfAsctime = /^\s*\w{3} \w{3} [ \d]\d [\d:]{8} \d{4}\s*$/
const dateOfIso = /^\s*\d{4}-\d\d-\d\dT\S+\s*$/

/** A date of HTTP (RFC 9110, section 5.6.7) or of ISO 8601. `Date.parse` takes many other texts for dates. */
function dateIn(text: string): number | undefined {
  const isAsctime = dateOfAsctime.test(text)
  if (!isAsctime && !datesOfHttp.test(text) && !dateOfIso.test(text)) return undefined
  const moment = Date.parse(isAsctime ? `${text} GMT` : text)
  return Number.isNaN(moment) ? undefined : moment
}
