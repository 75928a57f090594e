import { timeZoneOf, type TimeZone } from './time-zone.js'

/** The periods of whole days. */
type Days = 'day' | 'week' | 'month'

export type Period = 'hour' | Days

export const weekdays = [
  'monday',
  'tuesday',
  'wednesday',
  'thursday',
  'friday',
  'saturday',
  'sunday',
] as const

export type Weekday = (typeof weekdays)[number]

/** The windows of a calendar. Each time is in exactly one of them. Times are milliseconds since the epoch. */
export interface Calendar {
  /** The boundaries of the window that contains the time, and of the windows before and after it: four times, in order. */
  boundariesAround(time: number): readonly number[]
  /** The end of the window that contains the time. */
  endOf(time: number): number
}

interface Interval {
  readonly start: number
  readonly end: number
}

const hourMs = 60 * 60 * 1000
const dayMs = 24 * hourMs

/** Those around now, and one of a key that was idle, or of a clock that has stepped back. */
const mostKnown = 4

/**
 * The hours, days, weeks or months of a time zone. The last windows are kept, so the rules of the zone are read once for each window and not
 * once for each request.
 */
export function createCalendar(period: Period, timeZone: string, weekStartsOn: Weekday): Calendar {
  const known: Interval[] = []
  const zone = timeZoneOf(timeZone)

  function windowOf(time: number): Interval {
    for (const window of known) if (time >= window.start && time < window.end) return window
    const found = period === 'hour' ? hourOf(time, zone) : daysOf(time, zone, period, weekStartsOn)
    if (known.unshift(found) > mostKnown) known.pop()
    return found
  }

  return {
    boundariesAround(time) {
      const { start, end } = windowOf(time)
      return [windowOf(start - 1).start, start, end, windowOf(end).end]
    },
    endOf: (time) => windowOf(time).end,
  }
}

// If the clocks change within an hour, the hour ends there, and the rest of it is another window. So a repeated hour is two windows.
function hourOf(time: number, zone: TimeZone): Interval {
  const localTime = zone.localTimeOf(time)
  const start = time - localTime + startOfUnit(localTime, hourMs)
  const end = start + hourMs
  return {
    start: zone.changeBetween(start, time) ?? start,
    end: zone.changeBetween(time, end) ?? end,
  }
}

/** A date is the local time of its midnight. */
function daysOf(time: number, zone: TimeZone, period: Days, weekStartsOn: Weekday): Interval {
  const today = startOfUnit(zone.localTimeOf(time), dayMs)
  let first = firstDay(today, period, weekStartsOn)
  let end = zone.timeOf(following(first, period))
  // If the clocks are set back over midnight, they show yesterday's date again after today has begun.
  while (end <= time) {
    first = following(first, period)
    end = zone.timeOf(following(first, period))
  }
  return { start: zone.timeOf(first), end }
}

function startOfUnit(localTime: number, unitMs: number): number {
  return Math.floor(localTime / unitMs) * unitMs
}

/** The first day of the period that contains the date. */
function firstDay(date: number, period: Days, weekStartsOn: Weekday): number {
  const day = new Date(date)
  if (period === 'day') return date
  if (period === 'month') return day.setUTCDate(1)
  // `Date` counts weekdays from Sunday.
  return date - ((day.getUTCDay() + 6 - weekdays.indexOf(weekStartsOn)) % 7) * dayMs
}

/** The first day of the next period. */
function following(first: number, period: Days): number {
  if (period === 'month') {
    const day = new Date(first)
    return day.setUTCMonth(day.getUTCMonth() + 1)
  }
  return first + (period === 'week' ? 7 : 1) * dayMs
}
