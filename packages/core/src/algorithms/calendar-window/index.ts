import { oneOf, optional, quota, readOptions, type OptionReader } from '../../options/readers.js'
import { blockOption, type Blocking, type Policy } from '../../policy.js'
import { isTimeZone } from './time-zone.js'
import type { Algorithm } from '../algorithm.js'
import { policyOf, type Kind } from '../kind.js'
import { windowSteps } from '../window.js'
import { createCalendar, weekdays, type Calendar, type Period, type Weekday } from './calendar.js'

/** Options of `calendarWindow`. */
export interface CalendarWindowOptions extends Blocking {
  /** Units in one window. 0 denies everything. */
  readonly limit: number
  /** The length of a window in the calendar. */
  readonly period: Period
  /** An IANA zone, such as 'Europe/Berlin' or 'UTC'. */
  readonly timeZone: string
  /**
   * The day on which a week starts, for `period: 'week'`.
   *
   * @default 'monday'
   */
  readonly weekStartsOn?: Weekday | undefined
}

/** A policy of `calendarWindow`. */
export interface CalendarWindowPolicy extends Policy {
  readonly kind: 'calendarWindow'
  readonly limit: number
  readonly period: Period
  readonly timeZone: string
  readonly weekStartsOn: Weekday
}

/**
 * At most `limit` units in each local hour, day, week or month of a time zone. A day on which the clocks change has 23 or 25 hours. It
 * starts at the first instant that has its date. If the clocks repeat an hour, it is two windows.
 *
 * @example
 * calendarWindow({ limit: 5, period: 'day', timeZone: 'Asia/Shanghai' })
 * @throws SluiceError if an option is missing, unknown or out of range
 */
export function calendarWindow(options: CalendarWindowOptions): CalendarWindowPolicy {
  const policy = readOptions('calendarWindow', options, {
    limit: quota,
    period: oneOf('hour', 'day', 'week', 'month'),
    timeZone: zone,
    weekStartsOn: optional(oneOf(...weekdays), 'monday'),
    block: blockOption,
  })
  return policyOf('calendarWindow', calendarWindowKind, policy)
}

const zone: OptionReader<string> = {
  expected: `an IANA time zone that this machine knows, such as 'Europe/Berlin' or 'UTC'`,
  read: (value) => (typeof value === 'string' && isTimeZone(value) ? value : undefined),
}

interface CalendarWindowParams {
  readonly limit: number
  readonly calendar: Calendar
  /** The usual length of the window: 31 days for a month. */
  readonly nominalMs: number
}

const calendarWindowSteps: Algorithm<CalendarWindowParams> = {
  id: 6,
  // Redis has no time zones. It receives the boundaries around now and finds the window by its own clock.
  args: ({ limit, calendar }, now) => [limit, ...calendar.boundariesAround(now)],
  isDated: true,
  ...windowSteps<CalendarWindowParams>((time, { calendar }) => calendar.endOf(time)),
  windowMs: ({ nominalMs }) => nominalMs,
  followsWall: () => true,
}

export const calendarWindowKind: Kind<CalendarWindowPolicy, CalendarWindowParams> = {
  build: calendarWindow,
  quotas: ['limit'],
  steps: () => calendarWindowSteps,
  params: ({ limit, period, timeZone, weekStartsOn }) => ({
    limit,
    calendar: createCalendar(period, timeZone, weekStartsOn),
    nominalMs: { hour: 1, day: 24, week: 7 * 24, month: 31 * 24 }[period] * 60 * 60 * 1000,
  }),
}
