import { Temporal } from 'temporal-polyfill'
import {
  weekdays,
  type Period,
  type Weekday,
} from '../../../src/algorithms/calendar-window/calendar.js'

interface Window {
  readonly start: number
  readonly end: number
}

/** The windows of a calendar by Temporal. */
export function temporalWindow(
  moment: number,
  period: Period,
  timeZone: string,
  weekStartsOn: Weekday = 'monday',
): Window {
  const time = localTime(moment, timeZone)
  if (period === 'hour') return hourOf(time)
  const length = { day: { days: 1 }, week: { weeks: 1 }, month: { months: 1 } }[period]
  let first = firstDay(time.toPlainDate(), period, weekStartsOn)
  let end = startOf(first.add(length), timeZone)
  // If the clocks are set back over midnight, they show yesterday's date again after today has begun.
  while (end <= moment) {
    first = first.add(length)
    end = startOf(first.add(length), timeZone)
  }
  return { start: startOf(first, timeZone), end }
}

/** The next change of the clocks in a zone; the moment itself if there is none. */
export function nextChange(moment: number, timeZone: string): number {
  return localTime(moment, timeZone).getTimeZoneTransition('next')?.epochMilliseconds ?? moment
}

/** Whether Temporal knows the zone. */
export function isTemporalZone(name: string): boolean {
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

function hourOf(time: Temporal.ZonedDateTime): Window {
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

function startOf(date: Temporal.PlainDate, timeZone: string): number {
  return date.toZonedDateTime(timeZone).epochMilliseconds
}
