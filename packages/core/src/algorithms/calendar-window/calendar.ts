import { timeZoneOf, type TimeZone } from './time-zone.js'

export type Period = 'hour' | 'day' | 'week' | 'month'

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
  boundariesAround(moment: number): readonly number[]
  /** The end of the window that contains the time. */
  endOf(moment: number): number
}

interface Interval {
  readonly start: number
  readonly end: number
}

const hourMs = 60 * 60 * 1000
const dayMs = 24 * hourMs

/**
 * The hours, days, weeks or months of a time zone. The boundaries are cached, so the rules of the zone are read once for each window and not
 * once for each request.
 */
export function createCalendar(period: Period, timeZone: string, weekStartsOn: Weekday): Calendar {
  let boundaries: readonly number[] = [0, 0, 0, 0]
  let earlier: Interval = { start: 0, end: 0 }
  const zone = timeZoneOf(timeZone)

  function windowOf(moment: number): Interval {
    return period === 'hour' ? hourOf(moment, zone) : daysOf(moment, zone, period, weekStartsOn)
  }

  function boundariesAround(moment: number): readonly number[] {
    if (moment < boundaries[1] || moment >= boundaries[2]) {
      const { start, end } = windowOf(moment)
      boundaries = [windowOf(start - 1).start, start, end, windowOf(end).end]
    }
    return boundaries
  }

  return {
    boundariesAround,
    endOf(moment) {
      // The last request of a key that was idle, or of a clock that has stepped back. The cached boundaries are kept for the other keys.
      if (moment < boundaries[0]) {
        if (moment < earlier.start || moment >= earlier.end) earlier = windowOf(moment)
        return earlier.end
      }
      const known = moment < boundaries[3] ? boundaries : boundariesAround(moment)
      return known.find((boundary) => boundary > moment) ?? Infinity
    },
  }
}

// If the clocks change within an hour, the hour ends there, and the rest of it is another window. So a repeated hour is two windows.
function hourOf(moment: number, zone: TimeZone): Interval {
  const localTime = zone.localTimeOf(moment)
  const start = moment - localTime + startOfUnit(localTime, hourMs)
  const end = start + hourMs
  return {
    start: zone.changeBetween(start, moment) ?? start,
    end: zone.changeBetween(moment, end) ?? end,
  }
}

/** A date is the local time of its midnight. */
function daysOf(
  moment: number,
  zone: TimeZone,
  period: Exclude<Period, 'hour'>,
  weekStartsOn: Weekday,
): Interval {
  const today = startOfUnit(zone.localTimeOf(moment), dayMs)
  let first = firstDay(today, period, weekStartsOn)
  let end = zone.momentOf(following(first, period))
  // If the clocks are set back over midnight, they show yesterday's date again after today has begun.
  while (end <= moment) {
    first = following(first, period)
    end = zone.momentOf(following(first, period))
  }
  return { start: zone.momentOf(first), end }
}

function startOfUnit(localTime: number, unitMs: number): number {
  return Math.floor(localTime / unitMs) * unitMs
}

/** The first day of the period that contains the date. */
function firstDay(date: number, period: Exclude<Period, 'hour'>, weekStartsOn: Weekday): number {
  const day = new Date(date)
  switch (period) {
    case 'day':
      return date
    case 'week':
      // `Date` counts weekdays from Sunday.
      return date - ((day.getUTCDay() + 6 - weekdays.indexOf(weekStartsOn)) % 7) * dayMs
    case 'month':
      return day.setUTCDate(1)
  }
}

/** The first day of the next period. */
function following(first: number, period: Exclude<Period, 'hour'>): number {
  if (period === 'month') {
    const day = new Date(first)
    return day.setUTCMonth(day.getUTCMonth() + 1)
  }
  return first + (period === 'week' ? 7 : 1) * dayMs
}
