const whole = new Intl.NumberFormat('en', { maximumFractionDigits: 0 })
const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumSignificantDigits: 3 })
const oneDigit = new Intl.NumberFormat('en', { maximumFractionDigits: 1 })
const twoDigits = new Intl.NumberFormat('en', { maximumFractionDigits: 2 })
const timeOfDay = new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium' })
const hourAndMinute = new Intl.DateTimeFormat('en-GB', { timeStyle: 'short' })
const withDate = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
})

/** @type {Readonly<Record<string, number>>} */
const unitsMs = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 }

/** @param {number} value */
export function count(value) {
  return whole.format(value)
}

/** 12,345 as 12.3K. @param {number} value */
export function short(value) {
  return value < 10_000 ? whole.format(value) : compact.format(value)
}

/** 0.25, 12.5, 125, 12.3K. @param {number} value */
export function rate(value) {
  if (value > 0 && value < 0.01) return '< 0.01'
  if (value < 10) return twoDigits.format(value)
  return value < 100 ? oneDigit.format(value) : short(value)
}

/** @param {number} share */
export function percent(share) {
  const value = share * 100
  if (value === 0 || value === 100) return `${value} %`
  return value < 0.1 ? '< 0.1 %' : `${value.toFixed(value < 10 ? 1 : 0)} %`
}

/** Two units at most: 4 min 32 s, 2 h 5 min, 3 d 4 h. @param {number} ms */
export function duration(ms) {
  const seconds = Math.max(0, Math.ceil(ms / 1000))
  if (seconds < 60) return `${seconds} s`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return two(minutes, 'min', seconds % 60, 's')
  const hours = Math.floor(minutes / 60)
  if (hours < 48) return two(hours, 'h', minutes % 60, 'min')
  return two(Math.floor(hours / 24), 'd', hours % 24, 'h')
}

/** The time of day, with the date if it is on another day. @param {number} at */
export function clock(at) {
  return isToday(at) ? timeOfDay.format(at) : withDate.format(at)
}

/** @param {number} at */
export function clockMinutes(at) {
  return isToday(at) ? hourAndMinute.format(at) : withDate.format(at)
}

/**
 * The milliseconds of a text such as `10m`. Undefined: the text has no such form, and the server decides.
 * @param {string} text
 */
export function millisecondsOf(text) {
  const [, number, unit] = /^\s*(\d+(?:\.\d+)?)\s*(s|m|h|d|w)\s*$/.exec(text) ?? []
  if (number === undefined) return undefined
  return Number(number) * unitsMs[unit]
}

/**
 * @param {number} first
 * @param {string} unit
 * @param {number} rest
 * @param {string} restUnit
 */
function two(first, unit, rest, restUnit) {
  return rest === 0 ? `${first} ${unit}` : `${first} ${unit} ${rest} ${restUnit}`
}

/** @param {number} at */
function isToday(at) {
  return new Date(at).toDateString() === new Date().toDateString()
}
