import { describe, expect, test } from 'vitest'
import { compared, comparisonsIn, headlinesOf, ratiosTable } from '../src/ratios.js'

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
    const rows = ratiosTable([
      compared('a', 'more', found),
      compared('b', 'more', found.slice(0, 3).concat(found.slice(4))),
    ]).split('\n')
    expect(rows.slice(2)).toEqual([
      '| a | more | 2.00 | **3.00** | one |',
      '| b | more | **2.00** | 0.50 | other |',
    ])
  })

  test('shows the headlines in the root README, whether Sluice is ahead or not', () => {
    const works = [
      'import and `rateLimit()` for Express ÷ import of Express',
      'the same after Express is loaded ÷ import of Express',
      'time of the first decision of a process over Redis ÷ `INCR`',
      'decisions in the first second of a process over Redis, 64 in flight ÷ `INCR`',
      'MB installed for Express, with dependencies',
      'decisions in memory, one key, called ÷ bare `Map`',
      'longest delay of the event loop while a million keys expire ÷ bare `Map`',
      'decisions per second over Redis, one at a time ÷ `INCR`',
      'decisions per second over Redis, 8 in flight ÷ `INCR`',
      'decisions per second over Redis, 64 in flight ÷ `INCR`',
      'Redis CPU for a decision, one at a time ÷ `INCR`',
      'Redis CPU for a decision, 64 in flight ÷ `INCR`',
      'client CPU for a decision, one at a time ÷ `INCR`',
      'memory per key in Redis ÷ an integer',
      'server CPU per request, Koa ÷ headers by hand',
      'server CPU that a limiter in memory adds to a request, Koa ÷ koa-ratelimit',
    ]
    const others = [
      'denials in memory, one key, called ÷ bare `Map`',
      'decisions per second over Redis, 512 in flight on one key ÷ `INCR`',
      'Redis time of a script, gcra ÷ `TIME`, `GET`, `SET PX`',
      'Redis CPU for a decision, 64 in flight, three policies ÷ one',
    ]
    const rows = [...works, ...others].map((work) => compared(work, 'more', found))
    expect(headlinesOf(rows).map(({ work }) => work)).toEqual(works)
  })

  test('is read as it was written, without other text', () => {
    const row = compared('work', 'less', found)
    const written: unknown = JSON.parse(
      JSON.stringify({ ratios: [row, { ...row, ours: '2' }, null] }),
    )
    expect(comparisonsIn(written)).toEqual([row])
    expect([comparisonsIn(null), comparisonsIn({})]).toEqual([[], []])
  })
})
