import { expect, test } from 'vitest'
import { duration, millisecondsOf, percent, rate, short } from '../../page/numbers.js'

test.each([
  [0, '0 s'],
  [1, '1 s'],
  [59_001, '1 min'],
  [272_000, '4 min 32 s'],
  [3_600_000, '1 h'],
  [7_500_000, '2 h 5 min'],
  [172_800_000, '2 d'],
  [273_600_000, '3 d 4 h'],
])('%s ms is %s', (ms, text) => {
  expect(duration(ms)).toBe(text)
})

test.each([
  [0, '0'],
  [0.004, '< 0.01'],
  [0.25, '0.25'],
  [12.34, '12.3'],
  [125.4, '125'],
  [9999, '9,999'],
  [12_345, '12.3K'],
])('a rate of %s is %s', (value, text) => {
  expect(rate(value)).toBe(text)
})

test.each([
  [0, '0 %'],
  [0.0004, '< 0.1 %'],
  [0.0214, '2.1 %'],
  [0.836, '84 %'],
  [1, '100 %'],
])('a share of %s is %s', (share, text) => {
  expect(percent(share)).toBe(text)
})

test('a count of many digits is short', () => {
  expect([short(9999), short(12_345), short(4_567_890)]).toEqual(['9,999', '12.3K', '4.57M'])
})

test.each([
  ['90s', 90_000],
  [' 10m ', 600_000],
  ['1.5h', 5_400_000],
  ['2 d', 172_800_000],
  ['1w', 604_800_000],
  ['10', undefined],
  ['soon', undefined],
])('the duration %s has %s ms', (text, ms) => {
  expect(millisecondsOf(text)).toBe(ms)
})
