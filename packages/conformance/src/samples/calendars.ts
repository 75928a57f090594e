import { calendarWindow, type CalendarWindowPolicy } from '@sluice/core'
import { calendarWindowMeaning, windowNames } from '../models/windows/calendar-window.js'
import { clockChanges } from '../models/windows/local-time.js'
import { unitsPerName } from './promises.js'
import { sampleOf, type Proof, type Sample } from './sample.js'

const hourMs = 3_600_000

const proof: Proof<CalendarWindowPolicy> = {
  quota: ({ limit }) => limit,
  windowMs: ({ period }) => hourMs * { hour: 1, day: 24, week: 7 * 24, month: 31 * 24 }[period],
  meaning: calendarWindowMeaning,
  excess: (policy, admissions) => unitsPerName(admissions, windowNames(policy)) - policy.limit,
  starts: ({ timeZone }) =>
    [2006, 2011, 2018, 2025].flatMap((year) =>
      clockChanges(timeZone, Date.UTC(year, 0, 1), Date.UTC(year + 1, 0, 1)),
    ),
}

/** A comment at each zone names its peculiarity. */
const policies: readonly CalendarWindowPolicy[] = [
  calendarWindow({ limit: 3, period: 'hour', timeZone: 'UTC' }),
  calendarWindow({ limit: 5, period: 'day', timeZone: 'Asia/Shanghai' }),
  calendarWindow({ limit: 3, period: 'hour', timeZone: 'America/New_York' }),
  calendarWindow({ limit: 3, period: 'day', timeZone: 'America/New_York' }),
  calendarWindow({ limit: 7, period: 'week', timeZone: 'Europe/Berlin' }),
  calendarWindow({ limit: 7, period: 'month', timeZone: 'Europe/Berlin' }),
  // Half an hour forth and back.
  calendarWindow({ limit: 2, period: 'hour', timeZone: 'Australia/Lord_Howe' }),
  calendarWindow({ limit: 2, period: 'day', timeZone: 'Australia/Lord_Howe' }),
  // A quarter of an hour off.
  calendarWindow({ limit: 2, period: 'hour', timeZone: 'Asia/Kathmandu' }),
  // Days that begin at 01:00, and days of which the first hour comes twice.
  calendarWindow({ limit: 2, period: 'day', timeZone: 'America/Sao_Paulo' }),
  calendarWindow({ limit: 2, period: 'day', timeZone: 'America/Havana' }),
  calendarWindow({ limit: 2, period: 'hour', timeZone: 'America/Havana' }),
  calendarWindow({ limit: 4, period: 'week', timeZone: 'Africa/Cairo', weekStartsOn: 'friday' }),
  // At 00:01 the clocks were set back to yesterday.
  calendarWindow({ limit: 2, period: 'day', timeZone: 'America/St_Johns' }),
  calendarWindow({
    limit: 4,
    period: 'week',
    timeZone: 'America/St_Johns',
    weekStartsOn: 'sunday',
  }),
  calendarWindow({ limit: 2, period: 'hour', timeZone: 'America/St_Johns' }),
  // A date that does not exist: 2011-12-30.
  calendarWindow({ limit: 2, period: 'day', timeZone: 'Pacific/Apia' }),
  calendarWindow({ limit: 4, period: 'week', timeZone: 'Pacific/Apia', weekStartsOn: 'friday' }),
  // Two hours forth and back.
  calendarWindow({ limit: 2, period: 'hour', timeZone: 'Antarctica/Troll' }),
  calendarWindow({ limit: 0, period: 'day', timeZone: 'UTC' }),
  calendarWindow({ limit: 10_000_000, period: 'month', timeZone: 'Australia/Lord_Howe' }),
]

export const calendars: readonly Sample[] = policies.map((policy) => sampleOf(policy, proof))
