import { expect, test } from 'vitest'
import { durationText, windowText } from '../../src/text/duration.js'

test.each([
  [0, '0ms'],
  [0.2, '1ms'],
  [999, '999ms'],
  [1000, '1s'],
  [1249, '1.2s'],
  [59_900, '59.9s'],
  [60_000, '1m'],
  [61_000, '1m 1s'],
  [119_999, '1m 59s'],
  [3_600_000, '1h'],
  [3_659_000, '1h'],
  [5_400_000, '1h 30m'],
  [86_399_999, '23h 59m'],
  [86_400_000, '1d'],
  [90_000_000, '1d 1h'],
  [Infinity, 'for ever'],
])('durationText: %d ms is %s', (ms, text) => {
  expect(durationText(ms)).toBe(text)
})

test.each([
  [1, '1ms'],
  [999, '999ms'],
  [1500, '1500ms'],
  [1000, '1s'],
  [60_000, '1m'],
  [90_000, '90s'],
  [3_600_000, '1h'],
  [5_400_000, '90m'],
  [86_400_000, '1d'],
  [172_800_000, '2d'],
  [90_000_000, '25h'],
])('windowText: %d ms is %s', (ms, text) => {
  expect(windowText(ms)).toBe(text)
})
