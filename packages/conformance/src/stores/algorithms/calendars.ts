import { calendarWindow, type CalendarWindowPolicy } from '@sluice/core'
import { describe, expect, test } from 'vitest'
import type { OpenSetup } from '../setup.js'

/** Windows: the peculiarity, the zone, the period, and the interval from the first millisecond to the first of the next window. */
const windows: readonly (readonly [
  what: string,
  string,
  CalendarWindowPolicy['period'],
  string,
  string,
])[] = [
  ['a day in Shanghai', 'Asia/Shanghai', 'day', '2025-11-20T16:00Z', '2025-11-21T16:00Z'],
  ['a day of 25 hours', 'America/New_York', 'day', '2025-11-02T04:00Z', '2025-11-03T05:00Z'],
  ['a day of 23 hours', 'Europe/Berlin', 'day', '2025-03-29T23:00Z', '2025-03-30T22:00Z'],
  [
    'a day that begins at 01:00',
    'America/Sao_Paulo',
    'day',
    '2018-11-04T03:00Z',
    '2018-11-05T02:00Z',
  ],
  [
    'a day of which the first hour comes twice',
    'America/Havana',
    'day',
    '2025-11-02T04:00Z',
    '2025-11-03T05:00Z',
  ],
  [
    'a day that the clocks go back out of, one minute after it began',
    'America/St_Johns',
    'day',
    '2006-10-29T02:30Z',
    '2006-10-30T03:30Z',
  ],
  [
    'the last day before a date that never was',
    'Pacific/Apia',
    'day',
    '2011-12-29T10:00Z',
    '2011-12-30T10:00Z',
  ],
  [
    'the first of two hours that the clocks both call one',
    'America/New_York',
    'hour',
    '2025-11-02T05:00Z',
    '2025-11-02T06:00Z',
  ],
  ['the second of them', 'America/New_York', 'hour', '2025-11-02T06:00Z', '2025-11-02T07:00Z'],
  [
    'the hour before a half hour is repeated',
    'Australia/Lord_Howe',
    'hour',
    '2025-04-05T14:00Z',
    '2025-04-05T15:00Z',
  ],
  [
    'the half hour that is repeated',
    'Australia/Lord_Howe',
    'hour',
    '2025-04-05T15:00Z',
    '2025-04-05T15:30Z',
  ],
  [
    'the half hour that is left of an hour',
    'Australia/Lord_Howe',
    'hour',
    '2025-10-04T15:30Z',
    '2025-10-04T16:00Z',
  ],
  [
    'an hour in a zone that is 45 minutes off',
    'Asia/Kathmandu',
    'hour',
    '2025-11-21T00:15Z',
    '2025-11-21T01:15Z',
  ],
  [
    'a week in which the clocks change',
    'Europe/Berlin',
    'week',
    '2025-10-19T22:00Z',
    '2025-10-26T23:00Z',
  ],
  [
    'a month in which the clocks change',
    'Europe/Berlin',
    'month',
    '2025-02-28T23:00Z',
    '2025-03-31T22:00Z',
  ],
  ['the February of a leap year', 'UTC', 'month', '2028-02-01T00:00Z', '2028-03-01T00:00Z'],
  ['the first day of 2100', 'America/New_York', 'day', '2100-01-01T05:00Z', '2100-01-02T05:00Z'],
]

export function describeCalendars(open: OpenSetup): void {
  describe('a calendar window', () => {
    test.each(windows)('%s: %s, %s, from %s to %s', async (_what, timeZone, period, from, to) => {
      const [first, end] = [Date.parse(from), Date.parse(to)]
      const setup = await open(first - 1)
      const limiter = setup.limiter(calendarWindow({ limit: 2, period, timeZone }))
      expect((await limiter.consume('key', { cost: 2 })).resetMs).toBe(1)
      setup.now = first
      expect(await limiter.consume('key', { cost: 2 })).toMatchObject({
        allowed: true,
        resetMs: end - first,
      })
      setup.now = end - 1
      expect(await limiter.consume('key')).toMatchObject({ allowed: false, retryAfterMs: 1 })
      setup.now = end
      expect(await limiter.consume('key')).toMatchObject({ allowed: true, remaining: 1 })
    })

    test('a week begins on the day of the option "weekStartsOn"', async () => {
      // 2025-11-21 is a Friday.
      const days = { friday: 7, saturday: 1, sunday: 2, monday: 3, tuesday: 4 } as const
      const setup = await open(Date.parse('2025-11-21T00:00Z'))
      for (const [weekStartsOn, left] of Object.entries(days)) {
        const week = { limit: 2, period: 'week', timeZone: 'UTC' } as const
        const chosen = { weekStartsOn: weekStartsOn as keyof typeof days }
        const limiter = setup.limiter(calendarWindow({ ...week, ...chosen }))
        expect((await limiter.consume('key')).resetMs).toBe(left * 86_400_000)
      }
    })
  })
}
