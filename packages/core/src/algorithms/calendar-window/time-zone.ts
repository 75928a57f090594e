/**
 * The clocks of a time zone. A local time is a time that these clocks show, in milliseconds since they showed 1970-01-01 00:00. So local midnights are
 * multiples of a day, and `Date` can convert a local time to a date and back as if it were in UTC.
 */
export interface TimeZone {
  localTimeOf(time: number): number
  /** The first time at which the clocks show the local time. If they skip it, the time at which they do. */
  timeOf(localTime: number): number
  /** The time in (from, to] at which the clocks change; undefined if they do not. The interval is at most two days long. */
  changeBetween(from: number, to: number): number | undefined
}

const dayMs = 24 * 60 * 60 * 1000

/** By their names in lower case, so that there is one for each zone. A format takes much longer to create than to use. */
const zones = new Map<string, TimeZone>()

/**
 * The rules of a time zone, read from `Intl`.
 *
 * @throws RangeError if this machine does not know the zone
 */
export function timeZoneOf(name: string): TimeZone {
  const id = name.toLowerCase()
  const zone = zones.get(id) ?? createTimeZone(name)
  zones.set(id, zone)
  return zone
}

/** Whether this machine knows the IANA time zone. */
export function isTimeZone(name: string): boolean {
  if (!ianaName.test(name)) return false
  try {
    timeZoneOf(name)
    return true
  } catch {
    return false
  }
}

// `Intl` accepts more: offsets in some versions of Node only, and abbreviations that several zones share, such as IST. IANA has few of these.
const ianaName = /^(?![A-Z]{2}T$)[A-Z][\w+/-]*$|^(?:CE|EE|ES|GM|HS|ME|MS|UC|WE)T$/i

function createTimeZone(name: string): TimeZone {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: name,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  })

  function offsetAt(time: number): number {
    const seconds = Math.floor(time / 1000) * 1000
    const [month, day, year, hour, minute, second] = format.format(seconds).split(/\D+/).map(Number)
    return Date.UTC(year, month - 1, day, hour, minute, second) - seconds
  }

  // Since 1970, no zone has changed its clocks twice within two days.
  function changeBetween(from: number, to: number): number | undefined {
    const before = offsetAt(from)
    if (offsetAt(to) === before) return undefined
    let [same, other] = [from, to]
    while (other - same > 1) {
      const middle = Math.floor((same + other) / 2)
      if (offsetAt(middle) === before) same = middle
      else other = middle
    }
    return other
  }

  return {
    localTimeOf: (time) => time + offsetAt(time),
    timeOf(localTime) {
      // Clocks are less than a day ahead of UTC or behind it.
      const from = localTime - dayMs
      const change = changeBetween(from, localTime + dayMs)
      const time = localTime - offsetAt(from)
      if (change === undefined || time < change) return time
      return Math.max(change, localTime - offsetAt(change))
    },
    changeBetween,
  }
}
