import { describe, expect, test } from 'vitest'
import { readDuration, withUnit } from '../../../src/simulate/log/values.js'
import { cut, fieldsOf, jsonReader, time } from './lines.js'

function anyTime(value: unknown): number | undefined {
  const line = { time: value, method: 'GET', url: '/', status: 200 }
  const record = cut(jsonReader(), JSON.stringify(line))
  return typeof record === 'string' ? undefined : record.time
}

describe('times', () => {
  test.each<readonly [string, unknown]>([
    ['UTC', '2026-11-20T12:30:15Z'],
    ['UTC in lower case', '2026-11-20T12:30:15z'],
    ['no zone, which is UTC', '2026-11-20T12:30:15'],
    ['a space before the time', '2026-11-20 12:30:15'],
    ['an offset', '2026-11-20T14:30:15+02:00'],
    ['an offset without a colon', '2026-11-20T14:30:15+0200'],
    ['an offset of half an hour', '2026-11-20T09:00:15.000-0330'],
    ['an offset on another day', '2026-11-21T00:30:15+1200'],
    ['microseconds', '2026-11-20T12:30:15.000999Z'],
    ['nanoseconds with an offset', '2026-11-20T14:30:15.000000999+0200'],
    ['$time_local', '20/Nov/2026:14:30:15 +0200'],
    ['HAProxy, which states no zone', '20/Nov/2026:12:30:15.000'],
    ['a date of HTTP', 'Fri, 20 Nov 2026 12:30:15 GMT'],
    ['seconds', time / 1000],
    ['seconds with a fraction, as a text', `${time / 1000}.000`],
    ['milliseconds', time],
    ['milliseconds as a text', `${time}`],
    ['microseconds since 1970', time * 1000],
    ['nanoseconds since 1970', time * 1e6],
  ])('%s', (_, value) => {
    expect(anyTime(value)).toBe(time)
  })

  test('a time without a zone is UTC on a machine in any zone', () => {
    const { TZ } = process.env
    try {
      for (const zone of ['Pacific/Auckland', 'America/New_York']) {
        process.env['TZ'] = zone
        expect(new Date(time).getHours()).not.toBe(12)
        expect(anyTime('2026-11-20T12:30:15')).toBe(time)
        expect(anyTime('20/Nov/2026:14:30:15 +0200')).toBe(time)
      }
    } finally {
      if (TZ === undefined) delete process.env['TZ']
      else process.env['TZ'] = TZ
    }
  })

  test('a JSON line with +0200 is two hours before the same time in UTC', () => {
    const line = { time: '2026-11-20T12:30:15.5+0200', method: 'GET', url: '/', status: 200 }
    expect(fieldsOf(cut(jsonReader(), JSON.stringify(line)))).toMatchObject({
      time: time + 500 - 2 * 3_600_000,
    })
  })

  test.each<readonly [string, unknown]>([
    ['a day that does not exist', '2026-02-30T12:30:15Z'],
    ['a leap day of another year', '2026-02-29T12:30:15+0200'],
    ['a month that does not exist', '2026-13-20T12:30:15Z'],
    ['only a date', '2026-11-20'],
    ['the American form', '11/20/2026, 12:30:15 PM'],
    ['an empty text', ''],
    ['a small number', 12_345],
    ['a negative number', -time],
    ['Infinity', Infinity],
    ['true', true],
    ['null', null],
  ])('%s is not a time', (_, value) => {
    expect(anyTime(value)).toBe(undefined)
  })
})

describe('durations', () => {
  test.each<readonly [string, string | undefined, number | undefined]>([
    ['12ms', undefined, 12],
    ['0.2s', undefined, 200],
    ['250us', 's', 0],
    ['1500us', undefined, 2],
    ['1500µs', undefined, 2],
    ['3000000 ns', undefined, 3],
    ['3', 's', 3000],
    ['0.250', 's', 250],
    ['12.4', 'ms', 12],
    ['2500000', 'ns', 3],
    ['250', undefined, undefined],
    ['-', 'ms', undefined],
    ['-1', 'ms', undefined],
  ])('%j in %s is %j ms', (value, unit, expected) => {
    expect(readDuration(withUnit(value, unit))).toBe(expected)
  })
})
