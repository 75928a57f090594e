import { describe, expect, test } from 'vitest'
import { sharedLoads } from '../src/databases/loads.js'
import type { Group, Groups } from '../src/figures.js'
import { goalsTable } from '../src/goals.js'

const spread = (median: number) => ({ median, lowest: median, highest: median })

function rowsOf(
  section: string,
  wanted: RegExp,
  groups: Groups,
  amounts: Readonly<Record<string, number>> = {},
): readonly string[] {
  const results = { conditions: {}, amounts, groups }
  return goalsTable([], (name) => (name === section ? results : undefined))
    .split('\n')
    .filter((row) => wanted.test(row))
}

describe('the goals have the time that a limit adds to a request of Hono', () => {
  const figuresOf = (added: number) => ({ 'microseconds −': spread(added) })
  const frameworkOf = (sluice: number, withCount: number): Group => ({
    Sluice: figuresOf(sluice),
    'Sluice, count': figuresOf(withCount),
  })

  test('on Node and on Bun', () => {
    const groups = { Hono: frameworkOf(24, 33.5), 'Hono on Bun': frameworkOf(10.5, 21.5) }
    expect(rowsOf('added', /µs that/, groups)).toEqual([
      expect.stringMatching(/request, Hono \| ≤ 25 \| 24\.00 \| met \|$/),
      expect.stringMatching(/that, Hono \| ≤ 10 \| 9\.50 \| met \|$/),
      expect.stringMatching(/request, Hono on Bun \| ≤ 10 \| 10\.50 \| \*\*missed\*\* \|$/),
      expect.stringMatching(/that, Hono on Bun \| ≤ 10 \| 11\.00 \| \*\*missed\*\* \|$/),
    ])
  })

  test('without Bun, its goals are not measured', () => {
    const rows = rowsOf('added', /µs that/, { Hono: frameworkOf(24, 33.5) })
    expect(rows.map((row) => row.includes('not measured'))).toEqual([false, false, true, true])
  })
})

test('the goals have the conflicts of a process and the latency of four processes', () => {
  const wanted = /refuses a single process|four processes/
  const shared = sharedLoads.map(({ name }, i) => [name, { p99Ms: spread(10 * i + 7) }] as const)
  const groups = { shared: Object.fromEntries(shared) }
  expect(rowsOf('databases', wanted, groups, { saved: 1999, refused: 1 })).toEqual([
    expect.stringMatching(/ ≤ 1 \| 0\.50 \| met \|$/),
    expect.stringMatching(/ ≤ 50 \| 7\.00 \| met \|$/),
  ])
  expect(rowsOf('memory', wanted, {})).toEqual([
    expect.stringContaining('not measured'),
    expect.stringContaining('not measured'),
  ])
})
