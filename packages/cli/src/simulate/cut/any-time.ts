import { LogTime } from './log-time.js'

const logTime = new LogTime()

/** Milliseconds since the epoch of an ISO 8601 time, a time of `$time_local`, or a number of seconds, milliseconds, micro- or nanoseconds. */
export function anyTime(value: unknown): number | undefined {
  if (typeof value === 'number') return ofNumber(value)
  if (typeof value !== 'string' || value === '') return undefined
  if (/^\d+(?:\.\d+)?$/.test(value)) return ofNumber(Number(value))
  const local = logTime.read(value, 0)
  if (local !== -1) return local
  // Digits after the milliseconds are removed. A time without a zone is UTC, as in W3C and cloud logs.
  const iso = value.replace(' ', 'T').replace(/(\.\d{3})\d+/, '$1')
  if (!/^\d{4}-\d{2}-\d{2}T/.test(iso) || !isDate(iso)) return undefined
  const ms = Date.parse(/(?:[zZ]|[+-]\d{2}:?\d{2})$/.test(iso) ? iso : `${iso}Z`)
  return Number.isNaN(ms) ? undefined : ms
}

/** `Date.parse` takes 31 February for 3 March. */
function isDate(iso: string): boolean {
  const [year, month, day] = iso.slice(0, 10).split('-').map(Number)
  return new Date(Date.UTC(year, month - 1, day)).getUTCDate() === day
}

/** Finds the unit by the size: seconds of this century have ten digits. */
function ofNumber(value: number): number | undefined {
  if (!Number.isFinite(value) || value < 1e8) return undefined
  if (value < 1e11) return Math.round(value * 1000)
  if (value < 1e14) return Math.floor(value)
  return Math.floor(value < 1e17 ? value / 1000 : value / 1e6)
}

/**
 * A duration in milliseconds. A text can have a unit: `12ms`, `0.2s`. Without a unit, the name of the field decides, and a number with a fraction is in
 * seconds.
 */
export function milliseconds(value: unknown, field: string): number | undefined {
  const match = /^(\d+(?:\.\d+)?)\s*(ns|us|µs|ms|s)?$/.exec(
    `${typeof value === 'number' || typeof value === 'string' ? value : ''}`,
  )
  if (match === null) return undefined
  const number = Number(match[1])
  const unit = match[2] ?? unitOf(field, number)
  return Math.max(0, Math.round(number * (factors[unit] ?? 1)))
}

const factors: Readonly<Record<string, number>> = { ns: 1e-6, us: 1e-3, µs: 1e-3, ms: 1, s: 1000 }

function unitOf(field: string, number: number): string {
  if (/ms$|Ms$|responseTime$/.test(field)) return 'ms'
  if (field === 'Duration') return 'ns'
  // Caddy's `duration` and nginx's `request_time` are seconds; Envoy's `duration` is a whole number of milliseconds.
  if (field.endsWith('request_time') || !Number.isInteger(number)) return 's'
  return 'ms'
}
