import { describe, expect, test } from 'vitest'
import type { ScheduleDeclaration } from '../../src/document/document.js'
import { findingsOf, scheduleOf } from './schedules.js'

function activeAt(declaration: ScheduleDeclaration, times: readonly string[]): readonly boolean[] {
  const schedule = scheduleOf(declaration)
  return times.map((time) => schedule.activeAt(Date.parse(time)))
}

/** The hours of a day on which a schedule is active, in milliseconds. */
function activeMs(declaration: ScheduleDeclaration, from: string, to: string): number {
  const schedule = scheduleOf(declaration)
  const minute = 60_000
  let active = 0
  for (let at = Date.parse(from); at < Date.parse(to); at += minute)
    if (schedule.activeAt(at)) active += minute
  return active
}

const hour = 3_600_000

describe('a schedule', () => {
  test('includes its start and excludes its end', () => {
    const times = [
      '2026-01-01T00:29:59.999Z',
      '2026-01-01T00:30:00Z',
      '2026-01-01T05:59:59.999Z',
      '2026-01-01T06:00:00Z',
    ]
    expect(activeAt({ from: '00:30', to: '06:00' }, times)).toEqual([false, true, true, false])
  })

  test('crosses midnight, and belongs to the day on which it begins', () => {
    const friday = { days: ['fri'], from: '22:00', to: '02:00' }
    // 2 January 2026 is a Friday.
    const times = [
      '2026-01-02T21:59:00Z',
      '2026-01-02T22:00:00Z',
      '2026-01-03T01:59:00Z',
      '2026-01-03T02:00:00Z',
      '2026-01-03T22:30:00Z',
      '2026-01-02T01:00:00Z',
    ]
    expect(activeAt(friday, times)).toEqual([false, true, true, false, false, false])
  })

  test('is active if it began yesterday, also for the first request', () => {
    const night = { from: '22:00', to: '02:00' }
    expect(activeAt(night, ['2026-01-03T01:59:00Z'])).toEqual([true])
    expect(activeAt(night, ['2026-01-03T02:00:00Z'])).toEqual([false])
  })

  test('reads the clocks of its zone', () => {
    const office = { days: ['mon-fri'], from: '09:00', to: '18:00', zone: 'Europe/Berlin' }
    expect(
      activeAt(office, [
        '2026-07-01T06:59:00Z',
        '2026-07-01T07:00:00Z',
        '2026-01-05T07:59:00Z',
        '2026-01-05T08:00:00Z',
        '2026-01-04T10:00:00Z',
      ]),
    ).toEqual([false, true, false, true, false])
  })

  test('leaves out the days of "except"', () => {
    expect(
      activeAt({ except: ['2026-10-01'] }, [
        '2026-09-30T23:59:00Z',
        '2026-10-01T00:00:00Z',
        '2026-10-02T00:00:00Z',
      ]),
    ).toEqual([true, false, true])
  })

  test('accepts a range of days over the end of the week', () => {
    const weekend = { days: ['sat-mon'] }
    expect(
      activeAt(weekend, [
        '2026-01-02T12:00:00Z',
        '2026-01-03T12:00:00Z',
        '2026-01-04T12:00:00Z',
        '2026-01-05T12:00:00Z',
        '2026-01-06T12:00:00Z',
      ]),
    ).toEqual([false, true, true, true, false])
  })

  test('can be read for times in any order', () => {
    const times = [
      '2026-01-01T03:00:00Z',
      '2026-01-01T12:00:00Z',
      '2026-01-01T03:00:00Z',
      '2025-12-31T12:00:00Z',
      '2027-06-01T01:00:00Z',
    ]
    expect(activeAt({ from: '00:30', to: '06:00' }, times)).toEqual([
      true,
      false,
      true,
      false,
      true,
    ])
  })

  test('can be read for a time days before the last one', () => {
    const times = ['2026-01-10T12:00:00Z', '2026-01-07T12:00:00Z', '2026-01-10T12:00:00Z']
    // 7 January 2026 is a Wednesday.
    expect(activeAt({ days: ['wed'] }, times)).toEqual([false, true, false])
  })

  test('has 23 hours on the day on which the clocks go forward, and 25 when they go back', () => {
    const berlin = { zone: 'Europe/Berlin' }
    const whole = { ...berlin, days: ['sun'] }
    expect(activeMs(whole, '2026-03-28T00:00:00Z', '2026-03-30T12:00:00Z')).toBe(23 * hour)
    expect(activeMs(whole, '2026-10-24T00:00:00Z', '2026-10-26T12:00:00Z')).toBe(25 * hour)
  })

  test('that begins at a time which the clocks skip begins with the change', () => {
    const early = { from: '02:30', to: '04:00', zone: 'Europe/Berlin' }
    // The clocks go from 02:00 to 03:00 at 01:00Z.
    expect(
      activeAt(early, [
        '2026-03-29T00:59:00Z',
        '2026-03-29T01:00:00Z',
        '2026-03-29T01:59:00Z',
        '2026-03-29T02:00:00Z',
      ]),
    ).toEqual([false, true, true, false])
  })

  test('that ends at a repeated time ends at the first one', () => {
    const early = { from: '01:00', to: '02:30', zone: 'Europe/Berlin' }
    // The clocks go from 03:00 back to 02:00 at 01:00Z.
    expect(
      activeAt(early, ['2026-10-25T00:29:00Z', '2026-10-25T00:30:00Z', '2026-10-25T01:29:00Z']),
    ).toEqual([true, false, false])
  })

  test('without a day in the near future is computed again later', () => {
    expect(
      activeAt({ days: ['mon'], except: ['2026-01-05', '2026-01-12', '2026-01-19'] }, [
        '2026-01-01T00:00:00Z',
        '2026-01-26T00:00:00Z',
        '2026-01-19T12:00:00Z',
      ]),
    ).toEqual([false, true, false])
  })
})

test.each<readonly [ScheduleDeclaration, string]>([
  [{ from: '23:60' }, 'from'],
  [{ to: '6:00' }, 'to'],
  [{ from: '06:00', to: '06:00' }, 'to'],
  [{ days: ['monday'] }, 'days'],
  [{ days: ['mon-tue-wed'] }, 'days'],
  [{ except: ['2026-02-30'] }, 'except'],
  [{ zone: 'Mars/Olympus' }, 'zone'],
])('%j is not a schedule', (declaration, member) => {
  expect(findingsOf(declaration)).toMatchObject([{ path: expect.stringMatching(`^${member}`) }])
})
