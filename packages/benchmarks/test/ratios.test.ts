import { describe, expect, test } from 'vitest'
import { compared, comparisonsIn, headlinesOf, ratiosTable } from '../src/ratios.js'

const found: readonly [string, number][] = [
  ['yardstick', 1],
  ['Sluice, gcra', 9],
  ['Sluice, slidingWindow', 2],
  ['one', 3],
  ['other', 0.5],
]

describe('the ratios of the front page', () => {
  test.each([
    { better: 'more', peer: 3, peerName: 'one' },
    { better: 'less', peer: 0.5, peerName: 'other' },
  ] as const)('are the default of ours and the best peer, where $better is better', (best) => {
    expect(compared('work', best.better, found)).toEqual({ work: 'work', ours: 2, ...best })
  })

  test('set off the better one, whoever it is', () => {
    const rows = ratiosTable([
      compared('a', 'more', found),
      compared('b', 'more', found.slice(0, 3).concat(found.slice(4))),
    ]).split('\n')
    expect(rows.slice(2)).toEqual([
      '| a | more | 2.00 | **3.00** | one |',
      '| b | more | **2.00** | 0.50 | other |',
    ])
  })

  test('are the rows that a reader compares first, losses included', () => {
    const works = [
      'decisions in memory, one key ÷ bare `Map`',
      'client CPU for a decision of 512 in flight ÷ `INCR`',
      'decisions per second over Redis, 512 in flight ÷ `INCR`',
      'decisions per second over Redis, 512 in flight on one key ÷ `INCR`',
      'server CPU per request, Koa ÷ headers by hand',
    ]
    const rows = works.map((work) => compared(work, 'more', found))
    expect(headlinesOf(rows).map(({ work }) => work)).toEqual([works[0], works[2], works[4]])
  })

  test('are read back as they were written, and what is none is left out', () => {
    const row = compared('work', 'less', found)
    const written: unknown = JSON.parse(
      JSON.stringify({ ratios: [row, { ...row, ours: '2' }, null] }),
    )
    expect(comparisonsIn(written)).toEqual([row])
    expect([comparisonsIn(null), comparisonsIn({})]).toEqual([[], []])
  })
})
