import { digits } from './text.js'

/** Reads times such as `17/May/2015:10:05:03 +0000`. It keeps the last day and zone, which most lines share. */
export class LogTime {
  #day = ''
  #dayMs = 0
  #zone = ''
  #zoneMs = 0

  /** The time in milliseconds since the epoch, or -1. */
  read(text: string, at: number): number {
    if (this.#day === '' || !text.startsWith(this.#day, at)) {
      const day = text.slice(at, at + 12)
      const ms = dayOf(day)
      if (ms === -1) return -1
      this.#day = day
      this.#dayMs = ms
    }
    if (this.#zone === '' || !text.startsWith(this.#zone, at + 20)) {
      const zone = text.slice(at + 20, at + 26)
      const ms = zoneOf(zone)
      if (ms === undefined) return -1
      this.#zone = zone
      this.#zoneMs = ms
    }
    const hours = two(text, at + 12)
    const minutes = two(text, at + 15)
    const seconds = two(text, at + 18)
    // A leap second is second 60.
    if (!(hours < 24 && minutes < 60 && seconds <= 60)) return -1
    if (text.charCodeAt(at + 14) !== colon || text.charCodeAt(at + 17) !== colon) return -1
    return this.#dayMs + ((hours * 60 + minutes) * 60 + seconds) * 1000 - this.#zoneMs
  }
}

/** The number of characters of such a time. */
export const logTimeLength = 26

const colon = 0x3a
const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

function dayOf(text: string): number {
  const day = digits(text, 0, 2)
  const month = months.indexOf(text.slice(3, 6))
  const year = digits(text, 7, 11)
  if (text[2] !== '/' || text[6] !== '/' || text[11] !== ':') return -1
  if (day < 1 || day > 31 || month === -1 || year < 1970) return -1
  const time = new Date(Date.UTC(year, month, day))
  // `Date.UTC` takes 31 February for 3 March.
  return time.getUTCDate() === day ? time.getTime() : -1
}

function zoneOf(text: string): number | undefined {
  const hours = digits(text, 2, 4)
  const minutes = digits(text, 4, 6)
  const sign = text[1] === '+' ? 1 : text[1] === '-' ? -1 : 0
  if (text.length !== 6 || text[0] !== ' ' || sign === 0) return undefined
  return hours === -1 || minutes === -1 ? undefined : sign * (hours * 60 + minutes) * 60_000
}

/** Two digits, or NaN. */
function two(text: string, at: number): number {
  const tens = text.charCodeAt(at) - 48
  const ones = text.charCodeAt(at + 1) - 48
  return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? tens * 10 + ones : Number.NaN
}
