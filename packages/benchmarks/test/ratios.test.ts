import { describe, expect, test } from 'vitest'
import { compared, ratiosList, speedLine } from '../src/ratios.js'

const found: readonly [string, number][] = [
  ['yardstick', 1],
  ['Sluice, gcra', 9],
  ['Sluice, slidingWindow', 2],
  ['one', 3],
  ['other', 0.5],
]

describe('the comparison with the best peer', () => {
  test.each([
    { better: 'more', peer: 3, peerName: 'one' },
    { better: 'less', peer: 0.5, peerName: 'other' },
  ] as const)('takes the default algorithm and the best peer if $better is better', (best) => {
    expect(compared('work', best.better, found)).toEqual({ work: 'work', ours: 2, ...best })
  })

  test('sets the better value in bold', () => {
    const rows = ratiosList([
      compared('a', 'more', found),
      compared('b', 'more', found.slice(0, 3).concat(found.slice(4))),
    ]).split('\n')
    expect(rows).toEqual(['- a: 2.00 (one: **3.00**)', '- b: **2.00** (other: 0.50)'])
  })

  test('states the speed in one line, whether Sluice is ahead or not', () => {
    const works = [
      'decisions in memory, one key, awaited ÷ bare `Map`',
      'decisions per second over Redis, one at a time ÷ `INCR`',
      'decisions per second over Redis, 64 in flight ÷ `INCR`',
    ]
    const line = speedLine(
      works.map((work, i) =>
        compared(work, 'more', [
          ['yardstick', 1],
          ['Sluice', i + 1],
          ['peer', i + 1],
        ]),
      ),
    )
    expect(line).toMatch(
      /3\.00 \(best peer 3\.00\) with 64 in flight, 2\.00 .* one at a time.* 1\.00 /,
    )
    expect(line).not.toContain('\n')
    expect(() => speedLine([])).toThrow('there is no row of decisions per second over Redis, 64')
  })
})
