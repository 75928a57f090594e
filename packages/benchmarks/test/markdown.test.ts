import { describe, expect, test } from 'vitest'
import {
  groupsTable,
  groupTable,
  inUnits,
  medianCell,
  multipleCell,
  type Column,
} from '../src/markdown.js'

const spread = (median: number) => ({ median, lowest: median / 2, highest: 2 * median })

const group = {
  yardstick: { ns: spread(137), 'ns ÷': spread(1) },
  'Sluice, gcra': { ns: spread(274), 'ns ÷': spread(2), keys: spread(5) },
  slow: {},
}

const columns: readonly Column[] = [
  ['time', multipleCell('ns', inUnits(' ns'))],
  ['speed', multipleCell('ns', undefined, true)],
  ['keys', medianCell('keys')],
]

describe('a table of contenders', () => {
  test('has the figure of the yardstick, the multiples of the others, and no row without a figure', () => {
    expect(groupTable(columns, group)).toBe(
      [
        '|  | time | speed | keys |',
        '| --- | ---: | ---: | ---: |',
        '| yardstick | 1.00 = 137 ns | 1.00 |  |',
        '| **Sluice, gcra** | 2.00 (1.00–4.00) | 0.50 (0.25–1.00) | 5.00 |',
      ].join('\n'),
    )
  })

  test('has the names of its groups before those of the contenders', () => {
    const { yardstick } = group
    expect(groupsTable(columns.slice(0, 1), { Koa: { yardstick }, Hono: { yardstick } })).toBe(
      [
        '|  |  | time |',
        '| --- | --- | ---: |',
        '| Koa | yardstick | 1.00 = 137 ns |',
        '| Hono | yardstick | 1.00 = 137 ns |',
      ].join('\n'),
    )
  })
})
