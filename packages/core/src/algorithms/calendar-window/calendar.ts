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

/** The windows of a calendar: each moment lies in exactly one. Moments are milliseconds since the epoch. */
export interface Calendar {
  /** The borders of the window that the moment lies in and of its two neighbours, in order: four moments. */
  bordersAround(moment: number): readonly number[]
  /** When the window that the moment lies in is over. */
  endOf(moment: number): number
}

interface Interval {
  readonly start: number
  readonly end: number
}

/**
 * The hours, days, weeks or months of a time zone. The borders found last are kept, so the zone's rules are read once for each window and
 * not once for each request.
 */
export function createCalendar(period: Period, timeZone: string, weekStartsOn: Weekday): Calendar {
  let borders: readonly number[] = [0, 0, 0, 0]

  function windowOf(moment: number): Interval {
    if (period === 'hour') return hourOf(localTime(moment, timeZone))
    return daysOf(moment, timeZone, period, weekStartsOn)
  }

  function bordersAround(moment: number): readonly number[] {
    if (moment < borders[1] || moment >= borders[2]) {
      const { start, end } = windowOf(moment)
      borders = [windowOf(start - 1).start, start, end, windowOf(end).end]
    }
    return borders
  }

  return {
    bordersAround,
    endOf(moment) {
      // Long ago, for a key that comes back: its window was over by then at the latest, and borders around it would be of no use to others.
      const known = moment < borders[3] ? borders : bordersAround(moment)
      return known.find((border) => border > moment) ?? Infinity
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

// Between two changes of the clocks an hour is an hour. Where they change within one, it ends there and what follows is a window of its
// own: so an hour that is repeated is two.
function hourOf(time: Temporal.ZonedDateTime): Interval {
  const passed = (time.minute * 60 + time.second) * 1000 + time.millisecond
  const begins = time.epochMilliseconds - passed
  // The search is exclusive; a change at this very moment is the one before.
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
  // Clocks that are set back over midnight bear yesterday's date for a while after today has begun.
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

/** The first instant that bears the date: 00:00, or what the clocks show instead. */
function startOf(date: Temporal.PlainDate, timeZone: string): number {
  return date.toZonedDateTime(timeZone).epochMilliseconds
}
