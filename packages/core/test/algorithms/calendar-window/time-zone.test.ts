import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { runs } from '@sluice/test-kit/random'
import { createCalendar, weekdays } from '../../../src/algorithms/calendar-window/calendar.js'
import { calendarWindow } from '../../../src/index.js'
import { isTimeZone } from '../../../src/algorithms/calendar-window/time-zone.js'
import { errorOf } from '../../error-of.js'
import { isTemporalZone, nextChange, temporalWindow } from './temporal-calendar.js'

/** Peculiarities of the clocks of zones since 1970. */
const zones = {
  'do not change': ['UTC', 'Asia/Shanghai', 'Etc/GMT+12', 'Pacific/Kiritimati'],
  'change in the north': ['Europe/Berlin', 'America/New_York', 'Europe/London', 'Europe/Dublin'],
  'change in the south': ['America/Santiago', 'Australia/Sydney', 'Pacific/Auckland'],
  'are a half or a quarter of an hour off': [
    'Asia/Kolkata',
    'Asia/Kathmandu',
    'Pacific/Chatham',
    'America/Caracas',
    'Asia/Pyongyang',
  ],
  'change by half an hour, two hours or three hours': [
    'Australia/Lord_Howe',
    'Antarctica/Troll',
    'Antarctica/Casey',
  ],
  'change at midnight': [
    'America/Sao_Paulo',
    'America/Havana',
    'America/Asuncion',
    'Africa/Cairo',
    'Asia/Beirut',
    'Asia/Amman',
    'Asia/Tehran',
    'Asia/Gaza',
  ],
  'go back to yesterday': ['America/St_Johns', 'America/Goose_Bay', 'America/Scoresbysund'],
  'skip or repeat a date': ['Pacific/Apia', 'Pacific/Kwajalein', 'Pacific/Kiritimati'],
  'change for a month of the Islamic year': ['Africa/Casablanca', 'Africa/El_Aaiun'],
  'had an offset with seconds': ['Africa/Monrovia', 'America/Guyana'],
}

const hourMs = 3_600_000
const periods = ['hour', 'day', 'week', 'month'] as const

describe.each(Object.entries(zones))('in zones whose clocks %s', (_claim, names) => {
  test('the windows are those of Temporal, also around each change', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...names),
        fc.constantFrom(...periods),
        fc.constantFrom(...weekdays),
        fc.integer({ min: 0, max: Date.UTC(2100, 11, 31) }),
        fc.oneof(
          fc.constantFrom(-1, 0, 1),
          fc.integer({ min: -26 * hourMs, max: 26 * hourMs }),
          fc.constant(undefined),
        ),
        (timeZone, period, weekStartsOn, moment, aroundChange) => {
          const at =
            aroundChange === undefined ? moment : nextChange(moment, timeZone) + aroundChange
          const { start, end } = temporalWindow(at, period, timeZone, weekStartsOn)
          const before = temporalWindow(start - 1, period, timeZone, weekStartsOn)
          const after = temporalWindow(end, period, timeZone, weekStartsOn)
          const calendar = createCalendar(period, timeZone, weekStartsOn)
          expect(calendar.boundariesAround(at)).toEqual([before.start, start, end, after.end])
          expect(calendar.endOf(at)).toBe(end)
        },
      ),
      { numRuns: runs(100) },
    )
  })
})

const links = ['Asia/Calcutta', 'US/Pacific', 'GB-Eire', 'NZ-CHAT', 'EST5EDT', 'W-SU', 'Etc/GMT+5']
const names = [...new Set([...Object.values(zones).flat(), ...links, 'UTC', 'EST', 'CET', 'GMT0'])]

test.each([...names, 'europe/BERLIN', 'etc/utc', 'mst'])('"%s" is a zone', (name) => {
  expect(isTemporalZone(name)).toBe(true)
  expect(calendarWindow({ limit: 1, period: 'day', timeZone: name })).toMatchObject({
    timeZone: name,
  })
})

// `Intl` knows the abbreviations. Some versions of Node know the offsets, and others do not.
const abbreviations = ['PST', 'IST', 'CST', 'JST', 'ACT', 'ist']
const offsets = ['+01:00', '-0530', '+05']
const others = ['', 'Mars/Olympus', 'Europe/Berlin ', 'GMT+5', 'Z', 'Asia/\u212Aolkata']
const dates = ['2020-01-01T00:00[Europe/Berlin]', '2020-01-01T00:00Z']

test.each([...abbreviations, ...offsets, ...others, ...dates])('"%s" is not a zone', (name) => {
  // The zone that differs from one of the names only by its Kelvin sign is known already.
  expect(isTimeZone('Asia/Kolkata')).toBe(true)
  expect(isTimeZone(name)).toBe(false)
  const error = errorOf(() => calendarWindow({ limit: 1, period: 'day', timeZone: name }))
  expect(error.code).toBe('SLUICE_OPTION_INVALID')
  expect(error.message).toContain('an IANA time zone that this machine knows')
})
