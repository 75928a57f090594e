import { isTimeZone, timeZoneOf, type TimeZone } from '@sluice/core/internal'
import type { ScheduleDeclaration } from '../document/document.js'
import type { Place } from '../document/findings.js'

/** A time of each day, by the clocks of a zone. */
export interface Schedule {
  activeAt(now: number): boolean
}

/** A stretch of time in which the answer does not change. */
interface Stretch {
  readonly active: boolean
  readonly from: number
  readonly until: number
}

/**
 * Makes the schedule of a declaration. Undefined after findings. The zone is read once for each stretch, and not for each request. A day on which the clocks change
 * has 23 or 25 hours. A time that is skipped is the moment of the change, and of a repeated time the first one counts.
 */
export function createSchedule(
  declaration: ScheduleDeclaration,
  zone: string,
  place: Place,
): Schedule | undefined {
  const times = readTimes(declaration, zone, place)
  if (times === undefined) return undefined
  let known: Stretch = { active: false, from: 0, until: 0 }
  return {
    activeAt(now) {
      if (now < known.from || now >= known.until) known = stretchAt(times, now)
      return known.active
    },
  }
}

interface Times {
  /** ISO numbers of weekdays. */
  readonly days: ReadonlySet<number>
  /** Milliseconds after midnight, by the clocks. */
  readonly from: number
  /** The end of a day is 24 hours, however long the day is. */
  readonly to: number
  readonly except: ReadonlySet<string>
  readonly zone: TimeZone
}

const dayMs = 24 * 60 * 60 * 1000

/** How far to look for the next beginning. If there is none, the search is repeated by then. */
const horizonDays = 15

/** A date is the local time of its midnight. */
function stretchAt(times: Times, now: number): Stretch {
  const { days, from, to, except, zone } = times
  const today = Math.floor(zone.localTimeOf(now) / dayMs) * dayMs
  // Stretches of days before the first one below are over by then.
  let before = zone.timeOf(today - dayMs)
  // A stretch may have begun yesterday; on the days around it the clocks may have changed.
  for (let day = -2; day <= horizonDays; day++) {
    const date = today + day * dayMs
    if (!days.has(weekdayOf(date)) || except.has(textOf(date))) continue
    const start = zone.timeOf(date + from)
    // A schedule that ends at an earlier time than it begins crosses midnight.
    const end = zone.timeOf(date + to + (to <= from ? dayMs : 0))
    if (now < start) return { active: false, from: before, until: start }
    if (now < end) return { active: true, from: start, until: end }
    before = Math.max(before, end)
  }
  return { active: false, from: before, until: zone.timeOf(today + horizonDays * dayMs) }
}

/** The ISO number of the weekday. */
function weekdayOf(date: number): number {
  return new Date(date).getUTCDay() || 7
}

/** Such as 2026-10-01. */
function textOf(date: number): string {
  return new Date(date).toISOString().slice(0, 10)
}

function readTimes(
  { days, from = '00:00', to = '24:00', except = [], zone: own }: ScheduleDeclaration,
  usual: string,
  place: Place,
): Times | undefined {
  const { list } = place.findings
  const found = list.length
  const wrong = (at: Place, value: string, expected: string): undefined =>
    at.error('SLUICE_RULES_OPTION_INVALID', value, expected)
  const zone = own ?? usual
  const numbers = days?.flatMap(
    (text, i) =>
      daysOf(text) ??
      wrong(place.at('days', i), text, 'a day or days, such as sun or mon-fri') ??
      [],
  )
  except.forEach((text, i) => {
    if (!isDate(text)) wrong(place.at('except', i), text, 'a date such as 2026-10-01')
  })
  const start = timeOf(from) ?? wrong(place.at('from'), from, `a time from '00:00' to '23:59'`)
  const end =
    to === '24:00'
      ? dayMs
      : (timeOf(to) ?? wrong(place.at('to'), to, `a time from '00:00' to '24:00'`))
  if (from === to) {
    wrong(place.at('to'), to, 'another time than "from", or neither for the whole day')
  }
  if (!isTimeZone(zone)) wrong(place.at('zone'), zone, 'an IANA time zone such as Europe/Berlin')
  if (list.length > found || start === undefined || end === undefined) return undefined
  return {
    days: new Set(numbers ?? [1, 2, 3, 4, 5, 6, 7]),
    from: start,
    to: end,
    except: new Set(except),
    zone: timeZoneOf(zone),
  }
}

const weekdays = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun']

/** The numbers of `mon` or `mon-fri`. A range may go over the end of the week. */
function daysOf(text: string): readonly number[] | undefined {
  const [first, last] = text
    .toLowerCase()
    .split('-')
    .map((day) => weekdays.indexOf(day))
  if (first === -1 || last === -1 || text.split('-').length > 2) return undefined
  if (last === undefined) return [first + 1]
  const count = ((last - first + 7) % 7) + 1
  return Array.from({ length: count }, (_, i) => ((first + i) % 7) + 1)
}

/** Milliseconds after midnight. */
function timeOf(text: string): number | undefined {
  const time = /^([01]\d|2[0-3]):([0-5]\d)$/.exec(text)
  return time === null ? undefined : (Number(time[1]) * 60 + Number(time[2])) * 60 * 1000
}

function isDate(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false
  // `Date` reads 2026-02-30 as 2 March.
  const date = Date.parse(text)
  return !Number.isNaN(date) && textOf(date) === text
}
