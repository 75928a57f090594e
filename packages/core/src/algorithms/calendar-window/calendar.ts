import { Temporal } from 'temporal-polyfill'

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

/**
 * The hours, days, weeks or months of a time zone. The boundaries are cached, so the rules of the zone are read once for each window and not
 * once for each request.
 */
export function createCalendar(period: Period, timeZone: string, weekStartsOn: Weekday): Calendar {
  let boundaries: readonly number[] = [0, 0, 0, 0]

  function windowOf(moment: number): Interval {
    if (period === 'hour') return hourOf(localTime(moment, timeZone))
    return daysOf(moment, timeZone, period, weekStartsOn)
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
      // A time before the cached boundaries is the last request of a key that was idle. Its window ended at the first cached boundary at the
      // latest. So the cached boundaries are used, and are kept for the other keys.
      const known = moment < boundaries[3] ? boundaries : boundariesAround(moment)
      return known.find((boundary) => boundary > moment) ?? Infinity
    },
  }
}

/** Whether this machine knows the zone. */
export function isTimeZone(name: string): boolean {
  try {
    localTime(0, name)
    return true
  } catch {
    return false
  }
}

function localTime(moment: number, timeZone: string): Temporal.ZonedDateTime {
  return Temporal.Instant.fromEpochMilliseconds(moment).toZonedDateTimeISO(timeZone)
}

// If the clocks change within an hour, the hour ends there, and the rest of it is another window. So a repeated hour is two windows.
function hourOf(time: Temporal.ZonedDateTime): Interval {
  const passed = (time.minute * 60 + time.second) * 1000 + time.millisecond
  const begins = time.epochMilliseconds - passed
  // The search is exclusive, and a change at exactly this time must count as the previous one.
  const before = time.add({ nanoseconds: 1 }).getTimeZoneTransition('previous')
  const after = time.getTimeZoneTransition('next')
  return {
    start: Math.max(begins, before?.epochMilliseconds ?? -Infinity),
    end: Math.min(begins + 60 * 60 * 1000, after?.epochMilliseconds ?? Infinity),
  }
}

function daysOf(
  moment: number,
  timeZone: string,
  period: Exclude<Period, 'hour'>,
  weekStartsOn: Weekday,
): Interval {
  const length = { day: { days: 1 }, week: { weeks: 1 }, month: { months: 1 } }[period]
  let first = firstDay(localTime(moment, timeZone).toPlainDate(), period, weekStartsOn)
  let end = startOf(first.add(length), timeZone)
  // If the clocks are set back over midnight, they show yesterday's date again after today has begun.
  while (end <= moment) {
    first = first.add(length)
    end = startOf(first.add(length), timeZone)
  }
  return { start: startOf(first, timeZone), end }
}

function firstDay(
  date: Temporal.PlainDate,
  period: Period,
  weekStartsOn: Weekday,
): Temporal.PlainDate {
  if (period === 'month') return date.with({ day: 1 })
  if (period === 'day') return date
  const first = weekdays.indexOf(weekStartsOn) + 1
  return date.subtract({ days: (date.dayOfWeek - first + 7) % 7 })
}

/** The first instant that has the date: 00:00, or the first time that the clocks show on that day. */
function startOf(date: Temporal.PlainDate, timeZone: string): number {
  return date.toZonedDateTime(timeZone).epochMilliseconds
}
