import { expect, test } from 'vitest'
import { slidingWindow } from '../../src/index.js'
import { errorOf } from '../error-of.js'

test.each([
  ['250ms', 250],
  ['10s', 10_000],
  ['5m', 300_000],
  ['1h', 3_600_000],
  ['1d', 86_400_000],
  ['1.5h', 5_400_000],
  ['0.25s', 250],
  ['16.1s', 16_100],
  ['2.01s', 2010],
  ['64.4s', 64_400],
  ['3650d', 315_360_000_000],
  ['10 s', 10_000],
  ['1 minute', 60_000],
  ['5 minutes', 300_000],
  ['1.5 hours', 5_400_000],
  ['2 days', 172_800_000],
  ['1w', 604_800_000],
  ['2 weeks', 1_209_600_000],
  ['1y', 31_557_600_000],
  ['1.1y', 34_713_360_000],
  ['10y', 315_576_000_000],
])('reads the duration %s as %i ms', (text, milliseconds) => {
  expect(slidingWindow({ limit: 1, window: text }).window).toBe(milliseconds)
})

test('a duration has at most 100 characters', () => {
  const most = '1s'.padStart(100, '0')
  expect(slidingWindow({ limit: 1, window: most }).window).toBe(1000)
  expect(errorOf(() => slidingWindow({ limit: 1, window: `0${most}` })).code).toBe(
    'SLUICE_OPTION_INVALID',
  )
})

const second = 1000
const minute = 60 * second
const hour = 60 * minute
const day = 24 * hour

test.each<[number, string[]]>([
  [1, ['ms', 'msec', 'msecs', 'millisecond', 'milliseconds']],
  [second, ['s', 'sec', 'secs', 'second', 'seconds']],
  [minute, ['m', 'min', 'mins', 'minute', 'minutes']],
  [hour, ['h', 'hr', 'hrs', 'hour', 'hours']],
  [day, ['d', 'day', 'days']],
  [7 * day, ['w', 'week', 'weeks']],
  [365.25 * day, ['y', 'yr', 'yrs', 'year', 'years']],
])('a unit of %i ms has the names %j, with or without a space before them', (length, names) => {
  const texts = names.flatMap((name) => [`3${name}`, `3 ${name}`])
  const read = texts.map((text) => slidingWindow({ limit: 1, window: text }).window)
  expect(read).toEqual(texts.map(() => 3 * length))
})

const expected = `Pass whole milliseconds from 1 to ten years, or a string such as '250ms', '10s', '5m', '1h', '1d', '1w', '1y'.`
const noMonth = `A month has no fixed length: write '30d', or use calendarWindow; a minute is '1m'.`

test.each<[string, string]>([
  ['60', ` A string needs a unit: '60s' for seconds.`],
  ['1M', ` ${noMonth}`],
  ['3 months', ` ${noMonth}`],
  ['11y', ''],
  ['1s later', ''],
])('refuses the duration %o, with advice', (text, advice) => {
  const { code, message } = errorOf(() => slidingWindow({ limit: 1, window: text }))
  expect([code, message]).toEqual([
    'SLUICE_OPTION_INVALID',
    `slidingWindow: "window" is the string "${text}". ${expected}${advice}`,
  ])
})
