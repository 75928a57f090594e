import { expect, test } from 'vitest'
import { databaseSharedTable, databaseSpeedTable } from '../src/databases/page-tables.js'
import { loads, sharedLoads } from '../src/databases/loads.js'
import { goalsTable } from '../src/goals.js'

const spread = (median: number) => ({ median, lowest: median, highest: median })

function contender(name: string, ratio: number) {
  const each = loads.map((load) => [load.name, { perSecond: { ratio: spread(ratio) } }])
  return { name, loads: Object.fromEntries(each) }
}

const results = {
  conditions: { cores: 2 },
  postgres: [contender('`INSERT … ON CONFLICT`', 1), contender('Sluice, slidingWindow', 2.5)],
  sqlite: [contender('`INSERT … ON CONFLICT`', 1), contender('rate-limiter-flexible', 0.5)],
  shared: sharedLoads.map(({ database, name }, i) => ({
    database,
    name,
    p50Ms: spread(i),
    p99Ms: spread(10 * i + 7),
    lateShare: spread(0.125),
  })),
  refusedShare: 0.0005,
}

test('the page of a database has a row for each load, and a column for each contender', () => {
  const text = databaseSpeedTable(results, 'postgres') ?? ''
  expect(text.split('\n').slice(2, 5)).toEqual([
    '|  | `INSERT … ON CONFLICT` | **Sluice, slidingWindow** |',
    '| --- | ---: | ---: |',
    '| one at a time | 1.00 | 2.50 |',
  ])
  expect(text.split('\n')).toHaveLength(loads.length + 4)
  expect(databaseSpeedTable(results, 'sqlite')).toContain('| 1.00 | 0.50 |')
})

test('the page of a database has the processes that share it, and no others', () => {
  const text = databaseSharedTable(results, 'sqlite') ?? ''
  expect(text).toContain('on 2 cores')
  expect(text).toContain('| SQLite, 4 processes, one at a time | 0 | 7 | 12.5 % |')
  expect(text).not.toContain('PostgreSQL')
})

test('without results, the pages have no tables', () => {
  expect(databaseSpeedTable(null, 'postgres')).toBe(undefined)
  expect(databaseSharedTable(null, 'sqlite')).toBe(undefined)
})

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
