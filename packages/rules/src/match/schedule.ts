import { Temporal } from 'temporal-polyfill'
import type { ScheduleDeclaration } from '../document/document.js'

/** A time of each day, by the clocks of a zone. */
export interface Schedule {
  readonly name: string
  activeAt(now: number): boolean
}

/** A stretch of time in which the answer does not change. */
interface Stretch {
  readonly active: boolean
  readonly from: number
  readonly until: number
}

/** A problem of a schedule: the member, and the expected value. */
export interface ScheduleProblem {
  readonly member: keyof ScheduleDeclaration
  readonly index?: number
  readonly value: unknown
  readonly expected: string
}

/**
 * Makes the schedule of a declaration, or returns its problems. The zone is read once for each stretch, and not for each request. A day on which
 * the clocks change has 23 or 25 hours. A time that is skipped is the moment of the change, and of a repeated time the first one counts.
 */
export function createSchedule(
  name: string,
  declaration: ScheduleDeclaration,
  zone: string,
): Schedule | readonly ScheduleProblem[] {
  const read = readSchedule(declaration, zone)
  if ('problems' in read) return read.problems
  let known: Stretch = { active: false, from: 0, until: 0 }
  return {
    name,
    activeAt(now) {
      if (now < known.from || now >= known.until) known = stretchAt(read, now)
      return known.active
    },
  }
}

interface Times {
  /** ISO numbers of weekdays. */
  readonly days: ReadonlySet<number>
  readonly from: Temporal.PlainTime
  /** Undefined for the end of the day. */
  readonly to: Temporal.PlainTime | undefined
  readonly except: ReadonlySet<string>
  readonly zone: string
}

/** How far to look for the next beginning. If there is none, the search is repeated by then. */
const horizonDays = 15

function stretchAt(times: Times, now: number): Stretch {
  const today = Temporal.Instant.fromEpochMilliseconds(now)
    .toZonedDateTimeISO(times.zone)
    .toPlainDate()
  // Stretches of days before the first one below are over by then.
  let before = today.subtract({ days: 1 }).toZonedDateTime(times.zone).epochMilliseconds
  // A stretch may have begun yesterday; on the days around it the clocks may have changed.
  for (let day = -2; day <= horizonDays; day++) {
    const date = today.add({ days: day })
    if (!times.days.has(date.dayOfWeek) || times.except.has(date.toString())) continue
    const start = instantOf(date, times.from, times.zone)
    const end = endOf(date, times)
    if (now < start) return { active: false, from: before, until: start }
    if (now < end) return { active: true, from: start, until: end }
    before = Math.max(before, end)
  }
  const until = today.add({ days: horizonDays }).toZonedDateTime(times.zone).epochMilliseconds
  return { active: false, from: before, until }
}

function endOf(date: Temporal.PlainDate, { from, to, zone }: Times): number {
  const next = date.add({ days: 1 })
  if (to === undefined) return next.toZonedDateTime(zone).epochMilliseconds
  const crosses = Temporal.PlainTime.compare(to, from) <= 0
  return instantOf(crosses ? next : date, to, zone)
}

function instantOf(date: Temporal.PlainDate, time: Temporal.PlainTime, zone: string): number {
  const local = date.toPlainDateTime(time)
  const earlier = local.toZonedDateTime(zone, { disambiguation: 'earlier' })
  const later = local.toZonedDateTime(zone, { disambiguation: 'later' })
  if (earlier.epochMilliseconds === later.epochMilliseconds) return earlier.epochMilliseconds
  // Of a repeated time the first one counts. A skipped time has no instant: it is the moment of the change, which lies between both answers.
  if (earlier.toPlainDateTime().equals(local)) return earlier.epochMilliseconds
  return earlier.getTimeZoneTransition('next')?.epochMilliseconds ?? later.epochMilliseconds
}

function readSchedule(
  declaration: ScheduleDeclaration,
  defaultZone: string,
): Times | { readonly problems: readonly ScheduleProblem[] } {
  const problems: ScheduleProblem[] = []
  const { days, from = '00:00', to = '24:00', except = [], zone = defaultZone } = declaration
  const numbers = new Set<number>()
  days?.forEach((text, index) => {
    const range = daysOf(text)
    if (range === undefined) {
      problems.push({
        member: 'days',
        index,
        value: text,
        expected: 'a day or days, such as sun or mon-fri',
      })
    }
    for (const day of range ?? []) numbers.add(day)
  })
  except.forEach((text, index) => {
    if (!isDate(text))
      problems.push({ member: 'except', index, value: text, expected: 'a date such as 2026-10-01' })
  })
  const start = timeOf(from)
  if (start === undefined) {
    problems.push({ member: 'from', value: from, expected: `a time from '00:00' to '23:59'` })
  }
  const end = to === '24:00' ? undefined : timeOf(to)
  if (end === undefined && to !== '24:00') {
    problems.push({ member: 'to', value: to, expected: `a time from '00:00' to '24:00'` })
  }
  if (from === to) {
    problems.push({
      member: 'to',
      value: to,
      expected: 'another time than "from", or neither for the whole day',
    })
  }
  if (!isZone(zone)) {
    problems.push({
      member: 'zone',
      value: zone,
      expected: 'an IANA time zone such as Europe/Berlin',
    })
  }
  if (problems.length > 0 || start === undefined) return { problems }
  const all = new Set([1, 2, 3, 4, 5, 6, 7])
  return {
    days: days === undefined ? all : numbers,
    from: start,
    to: end,
    except: new Set(except),
    zone,
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

function timeOf(text: string): Temporal.PlainTime | undefined {
  return /^(?:[01]\d|2[0-3]):[0-5]\d$/.test(text) ? Temporal.PlainTime.from(text) : undefined
}

function isDate(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false
  try {
    return Temporal.PlainDate.from(text, { overflow: 'reject' }).toString() === text
  } catch {
    return false
  }
}

/** Whether this machine knows the time zone. */
export function isZone(zone: string): boolean {
  try {
    Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(zone)
    return true
  } catch {
    return false
  }
}
