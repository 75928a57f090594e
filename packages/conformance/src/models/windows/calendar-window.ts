import type { CalendarWindowPolicy } from '@sluice/core'
import { localTime } from './local-time.js'
import type { Meaning } from '../model.js'

const weekdays = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday']

/** At most `limit` units in each window that has one name on the calendar. */
export function calendarWindowMeaning(policy: CalendarWindowPolicy): Meaning {
  const nameOf = windowNames(policy)
  return {
    quota: policy.limit,
    fits(admissions, at, cost) {
      const name = nameOf(at)
      const same = admissions.filter((admission) => nameOf(admission.at) === name)
      return same.reduce((sum, admission) => sum + admission.cost, cost) <= policy.limit
    },
  }
}

/** The name of the window at a moment: two moments are in the same window if they have the same name. */
export function windowNames(policy: CalendarWindowPolicy): (at: number) => number | string {
  const { period, timeZone, weekStartsOn } = policy
  const { shown, offset, latestDay } = localTime(timeZone)
  switch (period) {
    case 'hour':
      // The hour that is shown twice has two offsets.
      return (at) => `${Math.floor(shown(at) / 3_600_000)} ${offset(at)}`
    case 'day':
      return latestDay
    case 'week':
      // 1970-01-01 was a Thursday: three days after a Monday.
      return (at) => Math.floor((latestDay(at) + 3 - weekdays.indexOf(weekStartsOn)) / 7)
    case 'month':
      return (at) => new Date(latestDay(at) * 86_400_000).toISOString().slice(0, 7)
  }
}
