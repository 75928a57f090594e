import { describe, expect, test } from 'vitest'
import { serverWaitMs } from '../src/server-wait.js'

const date = 'Mon, 23 Nov 2026 16:22:16 GMT'
const now = Date.parse(date)

/** The wait that a response names. Its clock is a day behind that of this machine. */
function waitOf(status: number, headers: Record<string, string>): number | undefined {
  return serverWaitMs({ status, headers: new Headers({ Date: date, ...headers }) })
}

describe('the wait that a response names', () => {
  test.each([
    ['seconds', 429, { 'Retry-After': '120' }, 120_000],
    ['no time', 429, { 'Retry-After': '0' }, 0],
    ['a date', 429, { 'Retry-After': 'Mon, 23 Nov 2026 16:22:46 GMT' }, 30_000],
    ['an earlier form of a date', 429, { 'Retry-After': 'Monday, 23-Nov-26 16:22:46 GMT' }, 30_000],
    ['the form of asctime', 429, { 'Retry-After': 'Mon Nov 23 16:22:46 2026' }, 30_000],
    ['a date that has passed', 503, { 'Retry-After': 'Sun, 22 Nov 2026 16:22:46 GMT' }, 0],
    ['a 503', 503, { 'Retry-After': '7' }, 7000],
    ['neither a number nor a date', 429, { 'Retry-After': 'soon 5' }, undefined],
    ['a negative number', 429, { 'Retry-After': '-5' }, undefined],
    ['another status', 200, { 'Retry-After': '7' }, undefined],
    ['a redirect', 301, { 'Retry-After': '7' }, undefined],
    ['seconds since 1970', 429, { 'Retry-After': `${now / 1000 + 30}` }, 30_000],
    ['milliseconds since 1970', 503, { 'Retry-After': `${now + 30_000}` }, 30_000],
    ['a moment that has passed', 429, { 'Retry-After': '1000000000' }, 0],
    ['a number below a moment', 429, { 'Retry-After': '999999999' }, 999_999_999_000],
    ['a number of many digits', 429, { 'Retry-After': '9'.repeat(400) }, Infinity],
    ['a date of ISO 8601', 429, { 'Retry-After': '2026-11-23T16:22:46Z' }, 30_000],
    ['a duration of Go', 429, { 'Retry-After': '1m30s' }, 90_000],
    ['a 403', 403, { 'Retry-After': '7' }, 7000],
    [
      'a 403 without it',
      403,
      { 'X-RateLimit-Remaining': '14', 'X-RateLimit-Reset': '9' },
      undefined,
    ],
    ['before other fields', 429, { 'Retry-After': '1', RateLimit: '"a";r=0;t=60' }, 1000],
  ])('Retry-After: %s', (_, status, headers, expected) => {
    expect(waitOf(status, headers)).toBe(expected)
  })

  test.each([
    ['"default";r=0;t=30', 30_000],
    ['"default";r=1;t=30', undefined],
    ['"default";r=0', undefined],
    ['"second";r=0;t=1, "day";r=900;t=3000', 1000],
    ['"second";r=0;t=1, "day";r=0;t=3000', 3_000_000],
    ['"5-in-10sec"; r=0; t=10', 10_000],
    ['"a";t=4;pk=:ZmlmdHk=:;r=0', 4000],
    ['"a;r=0;t=9";r=3;t=4', undefined],
    ['"a, \\"b\\";r=0;t=9";r=0;t=4', 4000],
    ['"a";qu="x;r=5, y";r=0;t=4', 4000],
    ['token;r=0;t=4', 4000],
    ['limit=5, remaining=0, reset=8', 8000],
    ['limit=5, remaining=3, reset=8', undefined],
    ['"a";r=0;t=4,', undefined],
    ['"a;r=0;t=4', undefined],
    ['"a";r=0;t=4, "b', undefined],
    ['', undefined],
  ])('RateLimit: %s', (field, expected) => {
    expect(waitOf(200, { RateLimit: field })).toBe(expected)
  })

  test('a long field is read in linear time', () => {
    for (const filler of [';', ' ', ';a=', '"', ', ', ';r=0']) {
      const field = `"a"${filler.repeat(16_000 / filler.length)}\\`
      // So often that the test would take a quarter of an hour if the work grew with the square of the length.
      for (let i = 0; i < 500; i++) expect(waitOf(200, { RateLimit: field })).toBeUndefined()
    }
  })

  const seconds = Math.floor(now / 1000)
  test.each([
    ['seconds from now', '30', 30_000],
    ['seconds since 1970', `${seconds + 30}`, 30_000],
    ['seconds since 1970 with a fraction', `${seconds + 30}.5`, 30_500],
    ['milliseconds since 1970', `${now + 30_000}`, 30_000],
    ['a moment that has passed', `${seconds - 30}`, 0],
    ['a number of many digits', '9'.repeat(400), Infinity],
    ['a date of ISO 8601', '2026-11-23T16:22:46Z', 30_000],
    ['a date of HTTP', 'Mon, 23 Nov 2026 16:22:46 GMT', 30_000],
    ['a duration of Go in seconds', '1.5s', 1500],
    ['a duration of Go in minutes', '6m0s', 360_000],
    ['a duration of Go in hours', '1h2m', 3_720_000],
    ['a duration of Go in all units', '1h1m1s1ms500us500000ns', 3_661_002],
    ['a duration of Go in milliseconds', '88ms', 88],
    ['a duration of Go in microseconds', '500µs', 0.5],
    ['a duration of Go in microseconds as UTF-8', '500\u00C2\u00B5s', 0.5],
    ['no time as Go', '0s', 0],
    ['a number and an unknown unit', '5x', undefined],
    ['a duration with a rest', '5s later', undefined],
    ['a negative duration', '-5s', undefined],
    ['anything else', 'later', undefined],
  ])('a reset in %s', (_, reset, expected) => {
    for (const prefix of ['RateLimit', 'X-RateLimit', 'X-Rate-Limit']) {
      for (const suffix of ['', '-Requests', '-Tokens']) {
        const remaining = `${prefix}-Remaining${suffix}`
        const used = { [remaining]: '0', [`${prefix}-Reset${suffix}`]: reset }
        expect(waitOf(200, used)).toBe(expected)
        expect(waitOf(200, { ...used, [remaining]: '1' })).toBeUndefined()
      }
    }
  })

  test.each([
    ['0', 9000],
    ['00', 9000],
    ['0.0', 9000],
    [' 0.00 ', 9000],
    ['0.9', 9000],
    ['-1', 9000],
    ['-0.5', 9000],
    ['1', undefined],
    ['1.0', undefined],
    ['598.0', undefined],
    ['', undefined],
    ['none', undefined],
    ['0 of 5', undefined],
  ])('remaining "%s"', (remaining, expected) => {
    const headers = { 'X-RateLimit-Remaining': remaining, 'X-RateLimit-Reset': '9' }
    expect(waitOf(200, headers)).toBe(expected)
  })

  test('of several limits of which nothing remains, the longest wait counts', () => {
    const headers = {
      'X-RateLimit-Remaining-Requests': '0',
      'X-RateLimit-Reset-Requests': '2s',
      'X-RateLimit-Remaining-Tokens': '0',
      'X-RateLimit-Reset-Tokens': '6m0s',
    }
    expect(waitOf(200, headers)).toBe(360_000)
    expect(waitOf(200, { ...headers, 'X-RateLimit-Remaining-Tokens': '900' })).toBe(2000)
  })

  test('a 429 needs no number that remains', () => {
    expect(waitOf(429, { 'X-RateLimit-Reset': '9' })).toBe(9000)
    expect(waitOf(200, { 'X-RateLimit-Reset': '9' })).toBeUndefined()
  })

  test('moments are compared with this clock if the response has no date', () => {
    const headers = new Headers({
      'X-RateLimit-Remaining': '0',
      'X-RateLimit-Reset': `${Date.now() + 60_000}`,
    })
    const wait = serverWaitMs({ status: 200, headers }) ?? 0
    expect(wait).toBeGreaterThan(50_000)
    expect(wait).toBeLessThanOrEqual(60_000)
  })
})
