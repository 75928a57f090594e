import { expect, test } from 'vitest'
import { waitInWords } from '../../../src/http/response/denial.js'

test.each([
  [1, '1 second'],
  [2, '2 seconds'],
  [59, '59 seconds'],
  [60, '1 minute'],
  [61, '61 seconds'],
  [119, '119 seconds'],
  [120, '2 minutes'],
  [121, '3 minutes'],
  [3540, '59 minutes'],
  [3541, '1 hour'],
  [3600, '1 hour'],
  [3601, '61 minutes'],
  [7140, '119 minutes'],
  [7141, '2 hours'],
  [7201, '3 hours'],
  [86_400, '1 day'],
  [86_401, '25 hours'],
  [172_800, '2 days'],
  [172_801, '3 days'],
  [30 * 86_400, '30 days'],
  [364 * 86_400, '364 days'],
  [365 * 86_400, '1 year'],
  [31_557_600, '1 year'],
  [31_557_601, '366 days'],
  [729 * 86_400, '729 days'],
  [730 * 86_400, '2 years'],
  [2 * 31_557_600, '2 years'],
  [315_360_000, '10 years'],
  [315_576_000, '10 years'],
])('writes %i seconds as %s', (wait, words) => {
  expect(waitInWords(wait)).toBe(words)
})

test('is never shorter than the wait', () => {
  const lengths: Record<string, number> = {
    second: 1,
    minute: 60,
    hour: 3600,
    day: 86_400,
    year: 31_557_600,
  }
  let wait = 1
  for (let i = 0; i < 2000; i++, wait = Math.ceil(wait * 1.01)) {
    const [count, unit] = waitInWords(wait).split(' ')
    const said = Number(count) * lengths[unit.replace(/s$/, '')]
    // And at most half as long again.
    expect([wait, said >= wait, said <= 1.5 * wait]).toEqual([wait, true, true])
  }
})
