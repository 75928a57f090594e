import { expect, test } from 'vitest'
import { slidingWindow } from '../src/index.js'

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
] as const)('reads the duration %s as %i ms', (text, milliseconds) => {
  expect(slidingWindow({ limit: 1, window: text }).window).toBe(milliseconds)
})
