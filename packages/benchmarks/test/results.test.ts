import { expect, test } from 'vitest'
import { isResults } from '../src/results.js'

const spread = { median: 1, lowest: 1, highest: 1 }
const results = {
  conditions: { node: '20' },
  amounts: { rounds: 2 },
  groups: { memory: { Sluice: { ms: spread } } },
}

test('results are read as they were written', () => {
  expect(isResults(JSON.parse(JSON.stringify(results)))).toBe(true)
})

test.each([
  null,
  {},
  { ...results, conditions: { node: 20 } },
  { ...results, amounts: { rounds: '2' } },
  { ...results, groups: { memory: { Sluice: { ms: 1 } } } },
  { ...results, groups: { memory: { Sluice: { ms: { ...spread, median: null } } } } },
  { ...results, groups: { memory: { Sluice: { ms: { median: 1 } } } } },
])('other text is no results: %j', (other) => {
  expect(isResults(other)).toBe(false)
})
