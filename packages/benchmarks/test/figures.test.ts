import { describe, expect, test } from 'vitest'
import {
  groupOf,
  groupToFirst,
  groupWithout,
  inverse,
  joined,
  mediansOf,
  variantOf,
} from '../src/figures.js'

const spread = (median: number, lowest = median, highest = median) => ({ median, lowest, highest })

const rounds = (figure: string, values: readonly number[]) =>
  values.map((value) => ({ [figure]: value }))

describe('the figures of contenders', () => {
  const readings = new Map([
    ['yardstick', rounds('ms', [1, 2, 4])],
    ['own', rounds('ms', [6, 6, 8])],
  ])

  test('are compared within each round, not by figures of different rounds', () => {
    expect(groupToFirst(readings, ['ms'])['own']).toEqual({
      ms: spread(6, 6, 8),
      'ms ÷': spread(3, 2, 6),
      'ms −': spread(4, 4, 5),
    })
  })

  test('are not compared if there is nothing to compare them with', () => {
    expect(groupOf(readings)['own']).toEqual({ ms: spread(6, 6, 8) })
  })

  test('have no multiple of nothing, and no figure that was not measured', () => {
    const none = new Map([
      ['yardstick', [{ commands: 0, server: Number.NaN }]],
      ['own', [{ commands: 2, server: Number.NaN }]],
    ])
    expect(groupToFirst(none)['own']).toEqual({ commands: spread(2) })
  })

  test('of a variant are compared with those of the same contender without it', () => {
    const all = new Map([...readings, ['own, three policies', rounds('ms', [12, 18, 16])] as const])
    expect(groupWithout(all, ['three policies'])).toEqual(groupToFirst(readings))
    expect(variantOf(all, 'three policies')).toEqual({
      own: { ms: spread(16, 12, 18), 'ms ÷': spread(2, 2, 3) },
    })
  })

  test('of several groups are joined by the names of the contenders', () => {
    const kept = { a: { bytes: spread(1) }, b: { bytes: spread(2) } }
    expect(joined({ kept, expired: { b: { bytes: spread(3) } } })).toEqual({
      a: { 'kept bytes': spread(1) },
      b: { 'kept bytes': spread(2), 'expired bytes': spread(3) },
    })
    expect(mediansOf(kept, 'bytes')).toEqual([
      ['a', 1],
      ['b', 2],
    ])
  })
})

test('a speed is the inverse of a time: the longest time is the lowest speed', () => {
  expect(inverse(spread(2, 1, 4))).toEqual(spread(0.5, 0.25, 1))
})
