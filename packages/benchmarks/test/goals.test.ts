import { expect, test } from 'vitest'
import { goalsTable } from '../src/goals.js'

const rowsOf = (added: unknown): readonly string[] =>
  goalsTable([], { added, cold: null, databases: null, algorithms: null })
    .split('\n')
    .filter((row) => row.includes('µs that'))

const frameworkOf = (framework: string, sluice: number, withCount: number): object => ({
  framework,
  rows: [
    { name: 'no limiter', added: { median: 0 } },
    { name: 'Sluice', added: { median: sluice } },
    { name: 'Sluice, count', added: { median: withCount } },
  ],
})

test('the goals have the time that a limit adds to a request of Hono on Node and on Bun', () => {
  const frameworks = [frameworkOf('Hono', 24, 33.5), frameworkOf('Hono on Bun', 10.5, 21.5)]
  expect(rowsOf({ frameworks })).toEqual([
    expect.stringMatching(/request, Hono \| ≤ 25 \| 24\.00 \| met \|$/),
    expect.stringMatching(/that, Hono \| ≤ 10 \| 9\.50 \| met \|$/),
    expect.stringMatching(/request, Hono on Bun \| ≤ 10 \| 10\.50 \| \*\*missed\*\* \|$/),
    expect.stringMatching(/that, Hono on Bun \| ≤ 10 \| 11\.00 \| \*\*missed\*\* \|$/),
  ])
})

test('without Bun, its goals are not measured', () => {
  const rows = rowsOf({ frameworks: [frameworkOf('Hono', 24, 33.5)] })
  expect(rows.map((row) => row.includes('not measured'))).toEqual([false, false, true, true])
})
