import { leastFrom } from '../model.js'

const minuteMs = 60_000
const dayMs = 86_400_000

/** The clocks of a time zone by Intl. Core reads them from Intl as well, but searches for changes of the clocks and beginnings of days in another way. */
export interface LocalTime {
  /** The local time, read as if it were UTC, in milliseconds since the epoch. */
  shown(at: number): number
  /** How far the clocks are ahead of UTC, in milliseconds. */
  offset(at: number): number
  /** The number of the latest date that was shown up to this moment, in days since 1970-01-01. */
  latestDay(at: number): number
}

/** The clock changes between two moments, at most one a day. */
export function clockChanges(timeZone: string, from: number, to: number): readonly number[] {
  const { offset } = localTime(timeZone)
  const changes: number[] = []
  for (let at = from; at < to; at += dayMs) {
    if (offset(at) !== offset(at + dayMs)) {
      changes.push(leastFrom(at, (moment) => offset(moment) === offset(at + dayMs)))
    }
  }
  return changes
}

const zones = new Map<string, LocalTime>()

export function localTime(timeZone: string): LocalTime {
  const zone = zones.get(timeZone) ?? createLocalTime(timeZone)
  zones.set(timeZone, zone)
  return zone
}

function createLocalTime(timeZone: string): LocalTime {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone,
    calendar: 'iso8601',
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  })
  // Since 1970, the zones that the samples use have changed their clocks at whole minutes only.
  const offsets = new Map<number, number>()

  function offset(at: number): number {
    const minute = Math.floor(at / minuteMs)
    const known = offsets.get(minute) ?? readOffset(minute * minuteMs)
    offsets.set(minute, known)
    return known
  }

  function readOffset(at: number): number {
    const parts = new Map(format.formatToParts(at).map(({ type, value }) => [type, Number(value)]))
    const part = (name: Intl.DateTimeFormatPartTypes) => parts.get(name) ?? Number.NaN
    const date = Date.UTC(part('year'), part('month') - 1, part('day'))
    return date + ((part('hour') * 60 + part('minute')) * 60 + part('second')) * 1000 - at
  }

  function day(at: number): number {
    return Math.floor((at + offset(at)) / dayMs)
  }

  return {
    shown: (at) => at + offset(at),
    offset,
    latestDay(at) {
      // Clocks that were set back a while ago may have shown tomorrow's date before.
      const before = at - 3 * 60 * minuteMs
      if (offset(before) <= offset(at)) return day(at)
      const change = leastFrom(before, (moment) => offset(moment) === offset(at))
      return Math.max(day(change - 1), day(at))
    },
  }
}
