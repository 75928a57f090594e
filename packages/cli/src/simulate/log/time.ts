import { digitsIn } from './values.js'

/** The forms of times. */
export const timeForms = ['zoned', 'clf', 'iso', 'http', 'unix'] as const
export type TimeForm = (typeof timeForms)[number]

type Parts = RegExpExecArray

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']
const clock = String.raw`(\d\d):(\d\d):(\d\d)(?:[.,](\d{1,9}))?`
const zone = String.raw`(Z|z|GMT|UTC|[+-]\d\d:?\d\d)`
const plainZone = String.raw`([+-]\d{4})`

/** `20/Nov/2026:12:30:15.655 +0100` (also without its zone), `2026-11-20T12:30:15.655+01:00` (also without), `Fri, 20 Nov 2026 12:30:15 GMT`. */
const dated: Readonly<
  Record<Exclude<TimeForm, 'unix'>, readonly [RegExp, (parts: Parts) => readonly string[]]>
> = {
  zoned: [
    new RegExp(String.raw`^(\d\d)/([A-Z][a-z]{2})/(\d{4}):${clock} ${plainZone}$`),
    ([, day, month, year]) => [year, monthOf(month), day],
  ],
  clf: [
    new RegExp(String.raw`^(\d\d)/([A-Z][a-z]{2})/(\d{4}):${clock}(?: ${plainZone})?$`),
    ([, day, month, year]) => [year, monthOf(month), day],
  ],
  iso: [
    new RegExp(String.raw`^(\d{4})-(\d\d)-(\d\d)[T ]${clock} ?${zone}?$`),
    ([, year, month, day]) => [year, month, day],
  ],
  http: [
    new RegExp(String.raw`^[A-Z][a-z]{2}, (\d\d) ([A-Z][a-z]{2}) (\d{4}) ${clock} ${zone}$`),
    ([, day, month, year]) => [year, monthOf(month), day],
  ],
}

function monthOf(name: string): string {
  return `${months.indexOf(name) + 1}`
}

/** The end of the year 6399. A replay refuses times from 2^47 on, in the year 6429, and no window is longer than ten years. */
const latestTime = Date.UTC(6400, 0) - 1

/** Whether a request can have happened at this time. */
export function isPossible(ms: number): boolean {
  return ms >= 0 && ms <= latestTime
}

/** Reads times of one log. */
export class TimeReader {
  /** Whether a time stated no zone. */
  isZoneless = false
  readonly #zoneMs: number
  readonly #forms: readonly TimeForm[]
  #day = ''
  #zone = ''
  #dayMs = 0
  #last = ''
  #lastMs = Number.NaN

  constructor(zoneMs: number, forms: readonly TimeForm[] = ['iso', 'clf', 'http', 'unix']) {
    this.#zoneMs = zoneMs
    this.#forms = forms
  }

  /** Milliseconds since the epoch; NaN if the text is not a time. */
  read(text: string): number {
    // Many lines have the time of the line before, and most lines its day and zone: `20/Nov/2026:12:30:15 +0000`.
    const isDated = text.length === 26 && text.charCodeAt(2) === slash
    const clock = isDated ? clockOf(text, 12) : -1
    const isKnown = this.#day !== '' && text.startsWith(this.#day) && text.endsWith(this.#zone)
    if (clock !== -1 && isKnown) return this.#dayMs + clock
    if (text === this.#last) return this.#lastMs
    this.#lastMs = this.#parse(text)
    this.#last = text
    if (clock !== -1 && !Number.isNaN(this.#lastMs)) {
      this.#day = text.slice(0, 12)
      this.#zone = text.slice(20)
      this.#dayMs = this.#lastMs - clock
    }
    return this.#lastMs
  }

  #parse(text: string): number {
    for (const form of this.#forms) {
      if (form === 'unix') {
        if (/^\d+(?:\.\d+)?(?:e\+\d+)?$/.test(text)) return ofNumber(Number(text))
        continue
      }
      const [pattern, dateOf] = dated[form]
      const parts = pattern.exec(text)
      if (parts !== null) return this.#ofDate(dateOf(parts).map(Number), parts)
    }
    return Number.NaN
  }

  #ofDate([year, month, day]: readonly number[], parts: Parts): number {
    const [hours, minutes, seconds] = parts.slice(4, 7).map(Number)
    const [fraction = '0', stated] = parts.slice(7, 9)
    const date = new Date(Date.UTC(year, month - 1, day))
    // `Date.UTC` takes 31 February for 3 March. A leap second is second 60.
    const isDate = month > 0 && date.getUTCDate() === day && date.getUTCMonth() === month - 1
    if (!isDate || hours > 23 || minutes > 59 || seconds > 60) return Number.NaN
    if (stated === undefined) this.isZoneless = true
    const zoneMs = stated === undefined ? this.#zoneMs : readZone(stated)
    if (zoneMs === undefined) return Number.NaN
    const ms = Math.floor(Number(`0.${fraction}`) * 1000 + 1e-6)
    return date.getTime() + ((hours * 60 + minutes) * 60 + seconds) * 1000 + ms - zoneMs
  }
}

const slash = 0x2f
const colon = 0x3a

/** The milliseconds of `12:30:15` since midnight, or -1. */
function clockOf(line: string, at: number): number {
  const hours = digitsIn(line, at, at + 2)
  const minutes = digitsIn(line, at + 3, at + 5)
  const seconds = digitsIn(line, at + 6, at + 8)
  const isClock = line.charCodeAt(at + 2) === colon && line.charCodeAt(at + 5) === colon
  return isClock && hours < 24 && minutes < 60 && seconds <= 60
    ? ((hours * 60 + minutes) * 60 + seconds) * 1000
    : -1
}

/** Milliseconds east of UTC: `Z`, `UTC`, `+0200`, `-03:30`. */
export function readZone(text: string): number | undefined {
  if (/^(?:Z|GMT|UTC)$/i.test(text)) return 0
  const match = /^([+-])(\d\d):?(\d\d)$/.exec(text)
  if (match === null || Number(match[2]) > 14 || Number(match[3]) > 59) return undefined
  return (match[1] === '-' ? -1 : 1) * (Number(match[2]) * 60 + Number(match[3])) * 60_000
}

/** The size of a number tells its unit: in this century, seconds have ten digits, and nanoseconds 19. */
const sizes = [
  [1e8, 1e10, 1000],
  [1e11, 1e13, 1],
  [1e14, 1e16, 1e-3],
  [1e17, 1e19, 1e-6],
] as const

function ofNumber(value: number): number {
  const size = sizes.find(([from, to]) => value >= from && value < to)
  if (size === undefined) return value < 1e19 || value === Infinity ? Number.NaN : value
  const ms = value * size[2]
  return size[2] > 1 ? Math.round(ms) : Math.floor(ms)
}
