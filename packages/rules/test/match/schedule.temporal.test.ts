import fc from 'fast-check'
import { Temporal } from 'temporal-polyfill'
import { expect, test } from 'vitest'
import { runs } from '@sluice/test-kit/random'
import { watchZoneReadings } from '@sluice/test-kit/zone-readings'
import type { ScheduleDeclaration } from '../../src/document/document.js'
import { scheduleOf } from './schedules.js'

// The clocks of these zones change at midnight, by a day, by half an hour, in the north and in the south, or never.
const zones = [
  'UTC',
  'Europe/Berlin',
  'America/New_York',
  'America/Santiago',
  'America/Sao_Paulo',
  'America/St_Johns',
  'Africa/Cairo',
  'Africa/Casablanca',
  'Asia/Beirut',
  'Asia/Kathmandu',
  'Australia/Lord_Howe',
  'Pacific/Apia',
]

const weekdays = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun']
const hourMs = 3_600_000

const times = fc
  .tuple(fc.integer({ min: 0, max: 23 }), fc.constantFrom('00', '01', '30', '59'))
  .map(([hour, minute]) => `${String(hour).padStart(2, '0')}:${minute}`)

test('a schedule is active at the times of Temporal, also around each change of the clocks', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...zones),
      fc.subarray(weekdays, { minLength: 1 }),
      times,
      fc.oneof(times, fc.constant('24:00')),
      fc.integer({ min: 0, max: Date.UTC(2099, 0, 1) }),
      fc.array(fc.integer({ min: -50 * hourMs, max: 50 * hourMs }), { minLength: 1, maxLength: 8 }),
      (zone, days, from, to, moment, distances) => {
        fc.pre(from !== to)
        const declaration = { days, from, to, zone }
        const change = zoned(moment, zone).getTimeZoneTransition('next')
        const around = change?.epochMilliseconds ?? moment
        const schedule = scheduleOf(declaration)
        for (const distance of distances) {
          const now = around + distance
          expect(schedule.activeAt(now)).toBe(isActive(declaration, now))
        }
      },
    ),
    { numRuns: runs(200) },
  )
})

test('the zone is read when a schedule begins or ends, and not for each request', () => {
  const schedule = scheduleOf({ days: weekdays, from: '08:00', to: '20:00', zone: 'Europe/Berlin' })
  const start = Date.parse('2026-03-02T07:00Z')
  const zone = watchZoneReadings()
  const counts = [start, start + 1, start + 12 * hourMs - 1, start + 12 * hourMs].map((now) => {
    schedule.activeAt(now)
    return zone.count
  })
  expect(counts[0]).toBeGreaterThan(0)
  expect(counts.slice(0, 3)).toEqual([counts[0], counts[0], counts[0]])
  expect(counts[3]).toBeGreaterThan(counts[0])
})

function isActive(
  { days, from, to, zone }: Required<Omit<ScheduleDeclaration, 'except'>>,
  now: number,
): boolean {
  const today = zoned(now, zone).toPlainDate()
  return [-2, -1, 0, 1].some((distance) => {
    const date = today.add({ days: distance })
    const next = date.add({ days: 1 })
    if (!days.includes(weekdays[date.dayOfWeek - 1])) return false
    const end =
      to === '24:00' ? momentOf(next, '00:00', zone) : momentOf(to < from ? next : date, to, zone)
    return momentOf(date, from, zone) <= now && now < end
  })
}

/** The first moment of a repeated time; the moment of the change for a skipped time. */
function momentOf(date: Temporal.PlainDate, time: string, zone: string): number {
  const local = date.toPlainDateTime(time)
  const earlier = local.toZonedDateTime(zone, { disambiguation: 'earlier' })
  if (earlier.toPlainDateTime().equals(local)) return earlier.epochMilliseconds
  const change = earlier.getTimeZoneTransition('next')
  if (change === null) throw new Error('a time is skipped without a change')
  return change.epochMilliseconds
}

function zoned(moment: number, zone: string): Temporal.ZonedDateTime {
  return Temporal.Instant.fromEpochMilliseconds(moment).toZonedDateTimeISO(zone)
}
