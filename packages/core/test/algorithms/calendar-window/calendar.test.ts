import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import fc from 'fast-check'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import {
  calendarWindow,
  createLimiter,
  redisStore,
  type CalendarWindowOptions,
} from '../../../src/index.js'
import { runs } from '@sluice/test-kit/random'
import { nextChange } from './temporal-calendar.js'
import { watchZoneReadings } from '@sluice/test-kit/zone-readings'

type Windows = Omit<CalendarWindowOptions, 'limit' | 'block'>

/** The boundaries of the windows that follow the moment `from`. */
interface Case {
  readonly claim: string
  readonly windows: Windows
  readonly from: string
  readonly boundaries: readonly string[]
}

const cases: readonly Case[] = [
  {
    claim: 'the hours of UTC',
    windows: { period: 'hour', timeZone: 'UTC' },
    from: '2025-11-21T10:59:59.999Z',
    boundaries: ['2025-11-21T11:00Z', '2025-11-21T12:00Z'],
  },
  {
    claim: 'the days of UTC, over the end of February in a leap year',
    windows: { period: 'day', timeZone: 'UTC' },
    from: '2024-02-28T12:00Z',
    boundaries: ['2024-02-29T00:00Z', '2024-03-01T00:00Z', '2024-03-02T00:00Z'],
  },
  {
    claim: 'the weeks of UTC, from Monday',
    windows: { period: 'week', timeZone: 'UTC' },
    from: '2025-12-28T23:59:59.999Z',
    boundaries: ['2025-12-29T00:00Z', '2026-01-05T00:00Z'],
  },
  {
    claim: 'the months of UTC, long and short',
    windows: { period: 'month', timeZone: 'UTC' },
    from: '2025-01-31T23:59:59.999Z',
    boundaries: [
      '2025-02-01T00:00Z',
      '2025-03-01T00:00Z',
      '2025-04-01T00:00Z',
      '2025-05-01T00:00Z',
    ],
  },
  {
    claim: 'the month of a leap day, and the last of a century that has none',
    windows: { period: 'month', timeZone: 'UTC' },
    from: '2100-02-15T00:00Z',
    boundaries: ['2100-03-01T00:00Z'],
  },
  {
    claim: 'the days of Shanghai, which begin at 16:00 in UTC',
    windows: { period: 'day', timeZone: 'Asia/Shanghai' },
    from: '2025-11-21T00:00Z',
    boundaries: ['2025-11-21T16:00Z', '2025-11-22T16:00Z'],
  },
  {
    claim: 'the weeks of Shanghai',
    windows: { period: 'week', timeZone: 'Asia/Shanghai' },
    from: '2025-11-23T15:59:59.999Z',
    boundaries: ['2025-11-23T16:00Z', '2025-11-30T16:00Z'],
  },
  {
    claim: 'the months of Shanghai',
    windows: { period: 'month', timeZone: 'Asia/Shanghai' },
    from: '2025-12-31T15:59:59.999Z',
    boundaries: ['2025-12-31T16:00Z', '2026-01-31T16:00Z'],
  },
  {
    claim: 'the day of the epoch, which began before it',
    windows: { period: 'day', timeZone: 'Asia/Shanghai' },
    from: '1970-01-01T00:00Z',
    boundaries: ['1970-01-01T16:00Z'],
  },
  {
    claim: 'a day of 23 hours in New York',
    windows: { period: 'day', timeZone: 'America/New_York' },
    from: '2025-03-08T12:00Z',
    boundaries: ['2025-03-09T05:00Z', '2025-03-10T04:00Z', '2025-03-11T04:00Z'],
  },
  {
    claim: 'a day of 25 hours in New York',
    windows: { period: 'day', timeZone: 'America/New_York' },
    from: '2025-11-01T12:00Z',
    boundaries: ['2025-11-02T04:00Z', '2025-11-03T05:00Z', '2025-11-04T05:00Z'],
  },
  {
    claim: 'the hours of New York, of which 02:00 is skipped',
    windows: { period: 'hour', timeZone: 'America/New_York' },
    from: '2025-03-09T05:30Z',
    boundaries: ['2025-03-09T06:00Z', '2025-03-09T07:00Z', '2025-03-09T08:00Z'],
  },
  {
    claim: 'the hours of New York, of which 01:00 occurs twice',
    windows: { period: 'hour', timeZone: 'America/New_York' },
    from: '2025-11-02T05:30Z',
    boundaries: ['2025-11-02T06:00Z', '2025-11-02T07:00Z', '2025-11-02T08:00Z'],
  },
  {
    claim: 'the weeks of New York when the clocks change',
    windows: { period: 'week', timeZone: 'America/New_York', weekStartsOn: 'sunday' },
    from: '2025-03-08T12:00Z',
    boundaries: ['2025-03-09T05:00Z', '2025-03-16T04:00Z'],
  },
  {
    claim: 'the months of New York when the clocks change',
    windows: { period: 'month', timeZone: 'America/New_York' },
    from: '2025-10-15T12:00Z',
    boundaries: ['2025-11-01T04:00Z', '2025-12-01T05:00Z'],
  },
  {
    claim: 'a day of 23 hours in Berlin',
    windows: { period: 'day', timeZone: 'Europe/Berlin' },
    from: '2025-03-29T12:00Z',
    boundaries: ['2025-03-29T23:00Z', '2025-03-30T22:00Z'],
  },
  {
    claim: 'a day of 25 hours in Berlin',
    windows: { period: 'day', timeZone: 'Europe/Berlin' },
    from: '2025-10-25T12:00Z',
    boundaries: ['2025-10-25T22:00Z', '2025-10-26T23:00Z'],
  },
  {
    claim: 'a month of 743 hours in Berlin',
    windows: { period: 'month', timeZone: 'Europe/Berlin' },
    from: '2025-02-28T22:59:59.999Z',
    boundaries: ['2025-02-28T23:00Z', '2025-03-31T22:00Z'],
  },
  {
    claim: 'a day of 23 and a half hours on Lord Howe Island',
    windows: { period: 'day', timeZone: 'Australia/Lord_Howe' },
    from: '2025-10-04T00:00Z',
    boundaries: ['2025-10-04T13:30Z', '2025-10-05T13:00Z'],
  },
  {
    claim: 'a day of 24 and a half hours on Lord Howe Island',
    windows: { period: 'day', timeZone: 'Australia/Lord_Howe' },
    from: '2025-04-05T00:00Z',
    boundaries: ['2025-04-05T13:00Z', '2025-04-06T13:30Z'],
  },
  {
    claim: 'the hour of which Lord Howe Island has half',
    windows: { period: 'hour', timeZone: 'Australia/Lord_Howe' },
    from: '2025-10-04T14:30Z',
    boundaries: ['2025-10-04T15:30Z', '2025-10-04T16:00Z', '2025-10-04T17:00Z'],
  },
  {
    claim: 'the half hour that Lord Howe Island has twice',
    windows: { period: 'hour', timeZone: 'Australia/Lord_Howe' },
    from: '2025-04-05T14:00Z',
    boundaries: ['2025-04-05T15:00Z', '2025-04-05T15:30Z', '2025-04-05T16:30Z'],
  },
  {
    claim: 'a day in Cairo that starts at 01:00',
    windows: { period: 'day', timeZone: 'Africa/Cairo' },
    from: '2025-04-24T12:00Z',
    boundaries: ['2025-04-24T22:00Z', '2025-04-25T21:00Z'],
  },
  {
    claim: 'a day in Cairo whose last hour occurs twice',
    windows: { period: 'day', timeZone: 'Africa/Cairo' },
    from: '2025-10-30T12:00Z',
    boundaries: ['2025-10-30T22:00Z', '2025-10-31T22:00Z'],
  },
  {
    claim: 'the last hour in Cairo, both times',
    windows: { period: 'hour', timeZone: 'Africa/Cairo' },
    from: '2025-10-30T20:00Z',
    boundaries: ['2025-10-30T21:00Z', '2025-10-30T22:00Z', '2025-10-30T23:00Z'],
  },
  {
    claim: 'the 31st in Apia after the 29th',
    windows: { period: 'day', timeZone: 'Pacific/Apia' },
    from: '2011-12-29T12:00Z',
    boundaries: ['2011-12-30T10:00Z', '2011-12-31T10:00Z', '2012-01-01T10:00Z'],
  },
  {
    claim: 'a week of six days in Apia',
    windows: { period: 'week', timeZone: 'Pacific/Apia' },
    from: '2011-12-26T09:59:59.999Z',
    boundaries: ['2011-12-26T10:00Z', '2012-01-01T10:00Z'],
  },
  {
    claim: 'a week in Apia that would begin on the skipped day',
    windows: { period: 'week', timeZone: 'Pacific/Apia', weekStartsOn: 'friday' },
    from: '2011-12-29T12:00Z',
    boundaries: ['2011-12-30T10:00Z', '2012-01-05T10:00Z'],
  },
  {
    claim: 'a day in St. John’s, where the clocks are set back over midnight',
    windows: { period: 'day', timeZone: 'America/St_Johns' },
    from: '2010-11-06T12:00Z',
    boundaries: ['2010-11-07T02:30Z', '2010-11-08T03:30Z'],
  },
]

const weekStarts = [
  { weekStartsOn: 'monday', boundary: '2025-11-24T00:00Z' },
  { weekStartsOn: 'tuesday', boundary: '2025-11-25T00:00Z' },
  { weekStartsOn: 'wednesday', boundary: '2025-11-26T00:00Z' },
  { weekStartsOn: 'thursday', boundary: '2025-11-27T00:00Z' },
  { weekStartsOn: 'friday', boundary: '2025-11-28T00:00Z' },
  { weekStartsOn: 'saturday', boundary: '2025-11-22T00:00Z' },
  { weekStartsOn: 'sunday', boundary: '2025-11-23T00:00Z' },
] as const

describe('the windows of a calendar', () => {
  test.each(cases)('are $claim', ({ windows, from, boundaries }) => {
    expect(walk(windows, from, boundaries.length)).toEqual(boundaries.map(exactly))
  })

  test.each(weekStarts)('are weeks from $weekStartsOn', ({ weekStartsOn, boundary }) => {
    const windows = { period: 'week', timeZone: 'UTC', weekStartsOn } as const
    expect(walk(windows, '2025-11-21T12:00Z', 1)).toEqual([exactly(boundary)])
    const beginning = walk(windows, new Date(Date.parse(boundary) - 1).toISOString(), 2)
    const nextWeek = new Date(Date.parse(boundary) + 7 * 86_400_000).toISOString()
    expect(beginning).toEqual([exactly(boundary), nextWeek])
  })

  test.each(cases)('end to the millisecond: $claim', ({ windows, from, boundaries }) => {
    const time = { now: Date.parse(from) }
    const limiter = limiterOf(windows, time)
    expect(limiter.consume('key').allowed).toBe(true)
    for (const boundary of boundaries) {
      time.now = Date.parse(boundary) - 1
      expect(limiter.consume('key')).toMatchObject({ allowed: false, retryAfterMs: 1 })
      time.now++
      expect(limiter.consume('key').allowed).toBe(true)
    }
  })

  test('are those of a calendar, at any moment and in any zone', () => {
    const zones = [
      'UTC',
      'Asia/Shanghai',
      'America/New_York',
      'Europe/Berlin',
      'Australia/Lord_Howe',
      'Africa/Cairo',
      'Pacific/Apia',
      'Asia/Kolkata',
      'Asia/Kathmandu',
      'Pacific/Chatham',
    ]
    const century = fc.integer({ min: 0, max: Date.UTC(2100, 0, 1) })
    const sixHours = fc.integer({ min: -10_800_000, max: 10_800_000 })
    const periods = fc.constantFrom('hour', 'day', 'week', 'month')
    fc.assert(
      fc.property(
        fc.constantFrom(...zones),
        periods,
        century,
        fc.option(sixHours),
        (timeZone, period, moment, aroundChange) => {
          const windows = { period, timeZone } as const
          const start =
            aroundChange === null
              ? moment
              : Math.max(0, nextChange(moment, timeZone) + aroundChange)
          const [end] = walk(windows, new Date(start).toISOString(), 1).map(Date.parse)
          const page = pageOf(windows, start)
          expect(pageOf(windows, end - 1)).toBe(page)
          expect(pageOf(windows, end)).not.toBe(page)
        },
      ),
      { numRuns: runs(500) },
    )
  })
})

test('a clock that steps back by weeks does not lengthen a window', () => {
  let now = noon + 40 * dayMs
  const policies = calendarWindow({ limit: 1, period: 'day', timeZone: 'UTC' })
  const limiter = createLimiter({ name: 'api', policies, clock: () => now })
  limiter.consume('other')
  now = noon
  const { resetMs } = limiter.consume('key')
  expect(resetMs).toBeLessThanOrEqual(dayMs)
  expect(limiter.consume('key').retryAfterMs).toBe(resetMs)
  now += resetMs
  expect(limiter.consume('key').allowed).toBe(true)
})

describe('the zone of the process', () => {
  test.each(['Asia/Shanghai', 'America/New_York'])('has no effect: %s', async (TZ) => {
    const program = `
        import { calendarWindow, createLimiter } from '@sluice/core'
        const cases = JSON.parse(process.argv[1])
        const walks = cases.map(({ windows, from, boundaries }) => {
          let now = Date.parse(from)
          const policies = calendarWindow({ limit: 1, ...windows })
          const limiter = createLimiter({ name: 'api', policies, clock: () => now })
          return boundaries.map(() => {
            now += limiter.consume('key').resetMs
            return new Date(now).toISOString()
          })
        })
        const offset = new Date(2025, 0, 1).getTimezoneOffset()
        process.stdout.write(JSON.stringify({ offset, walks }))
      `
    const args = ['--input-type=module', '--eval', program, JSON.stringify(cases)]
    const options = { cwd: import.meta.dirname, env: { ...process.env, TZ } }
    const { stdout } = await promisify(execFile)(process.execPath, args, options)
    const offset = { UTC: 0, 'Asia/Shanghai': -480, 'America/New_York': 300 }[TZ]
    const walks = cases.map(({ boundaries }) => boundaries.map(exactly))
    expect(JSON.parse(stdout)).toEqual({ offset, walks })
  })
})

describe('the rules of the zone', () => {
  test('are read for the first request of a window, and for no later one', () => {
    const few = readings([noon, noon + dayMs, noon + 2 * dayMs], 2)
    expect(few.reduce((sum, count) => sum + count)).toBeGreaterThan(0)
    expect(readings([noon, noon + dayMs, noon + 2 * dayMs], 200)).toEqual(few)
  })

  test('are not read for each key, before or after midnight', () => {
    const before = midnight - 1
    expect(readings([before, midnight], 200)).toEqual(readings([before, midnight], 1))
  })

  test('are not read for each request that is sent to a server', async () => {
    expect(await readingsToSend(50)).toBe(await readingsToSend(1))
  })

  test('are not read for each key whose last request was days ago', () => {
    const later = noon + 4 * dayMs
    expect(readings([noon, later], 200)).toEqual(readings([noon, later], 2))
  })

  test('are read by one format for each zone, because its creation takes long', () => {
    const { DateTimeFormat } = Intl
    const creation = vi.spyOn(Intl, 'DateTimeFormat').mockImplementation(function (...options) {
      return new DateTimeFormat(...options)
    })
    onTestFinished(() => creation.mockRestore())
    for (const timeZone of ['Atlantic/Azores', 'Atlantic/Azores', 'atlantic/AZORES']) {
      for (const period of ['day', 'hour'] as const) {
        limiterOf({ period, timeZone }, { now: noon }).consume('key')
      }
    }
    expect(creation).toHaveBeenCalledOnce()
  })
})

const dayMs = 86_400_000
const noon = Date.parse('2025-11-21T12:00Z')
/** In Berlin. */
const midnight = Date.parse('2025-11-21T23:00Z')

/** The number of lookups in the zone at each of these times, while each of the keys makes one request. */
function readings(times: readonly number[], keys: number): number[] {
  const time = { now: 0 }
  const limiter = limiterOf({ period: 'day', timeZone: 'Europe/Berlin' }, time)
  const zone = watchZoneReadings()
  return times.map((moment) => {
    time.now = moment
    const before = zone.count
    for (let i = 0; i < keys; i++) expect(limiter.consume(`${i}`).allowed).toBe(true)
    return zone.count - before
  })
}

/** The number of lookups for requests to a server that replies to each of them with an error. */
async function readingsToSend(requests: number): Promise<number> {
  let sent = 0
  const reply = async () => {
    sent++
    return [noon, 'gone']
  }
  const store = redisStore({ evalSha: reply, eval: reply, isCluster: false })
  const policies = calendarWindow({ limit: 1, period: 'day', timeZone: 'Europe/Berlin' })
  const options = { name: 'api', policies, store, clock: () => noon } as const
  const limiter = createLimiter({ ...options, onStoreError: 'deny' })
  const zone = watchZoneReadings()
  for (let i = 0; i < requests; i++) {
    await expect(limiter.penalize('key', 1)).rejects.toThrow('gone')
  }
  expect(sent).toBe(requests)
  return zone.count
}

/** The boundaries of consecutive windows: each time the quota is full again, the next window has begun. */
function walk(windows: Windows, from: string, count: number): string[] {
  const time = { now: Date.parse(from) }
  const limiter = limiterOf(windows, time)
  return Array.from({ length: count }, () => {
    time.now += limiter.consume('key').resetMs
    return new Date(time.now).toISOString()
  })
}

function limiterOf(windows: Windows, time: { now: number }) {
  const policies = calendarWindow({ limit: 1, ...windows })
  return createLimiter({ name: 'api', policies, clock: () => time.now })
}

function exactly(moment: string): string {
  return new Date(moment).toISOString()
}

/** The page of a calendar at a moment. Two moments have the same page only if they are in the same window. */
function pageOf({ period, timeZone }: Windows, moment: number): string {
  const format = new Intl.DateTimeFormat('en-CA', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    timeZoneName: 'longOffset',
  })
  const parts = Object.fromEntries(
    format.formatToParts(moment).map(({ type, value }) => [type, value]),
  )
  const date = `${parts['year']}-${parts['month']}-${parts['day']}`
  if (period === 'hour') return `${date} ${parts['hour']} ${parts['timeZoneName']}`
  if (period === 'day') return date
  if (period === 'month') return date.slice(0, 7)
  // 1970-01-05 was a Monday.
  return `${Math.floor((Date.parse(date) / 86_400_000 - 4) / 7)}`
}
