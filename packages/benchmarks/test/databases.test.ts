import { expect, test } from 'vitest'
import { sharedLoads } from '../src/databases/loads.js'
import { goalsTable } from '../src/goals.js'

const spread = (median: number) => ({ median, lowest: median, highest: median })

const results = {
  shared: sharedLoads.map(({ database, name }, i) => ({
    database,
    name,
    p50Ms: spread(i),
    p99Ms: spread(10 * i + 7),
    lateShare: spread(0.125),
  })),
  refusedShare: 0.0005,
}

test('the goals have the conflicts of a process and the latency of four processes', () => {
  const rowsOf = (databases: unknown) =>
    goalsTable([], { added: null, algorithms: null, cold: null, databases })
      .split('\n')
      .filter((row) => /refuses a single process|four processes/.test(row))
  expect(rowsOf(results)).toEqual([
    expect.stringMatching(/ ≤ 1 \| 0\.50 \| met \|$/),
    expect.stringMatching(/ ≤ 50 \| 7\.00 \| met \|$/),
  ])
  expect(rowsOf(null)).toEqual([
    expect.stringContaining('not measured'),
    expect.stringContaining('not measured'),
  ])
})
