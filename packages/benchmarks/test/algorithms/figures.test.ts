import { expect, test } from 'vitest'
import type { Contender } from '../../src/algorithms/contender.js'
import { figuresOf } from '../../src/algorithms/figures.js'
import { clockAndState, fixed, floor } from '../../src/algorithms/textbook.js'
import type { Costs } from '../../src/algorithms/trial.js'

test('contenders are compared within each round, not by figures of different rounds', () => {
  const costs = new Map<Contender, Costs>([
    [floor, costsOf(50, [1, 2, 4])],
    [fixed, costsOf(100, [6, 6, 8])],
    [clockAndState, costsOf(25, [2, 3, 8])],
  ])
  const { comparedWithFloor, comparedWithScript, comparedWithTextbook } = figuresOf(
    fixed,
    costs,
    floor,
    fixed,
  )
  expect(comparedWithFloor).toEqual({
    with: floor.name,
    bytesPerKey: 2,
    redisMicroseconds: { median: 3, lowest: 2, highest: 6 },
  })
  expect(comparedWithScript).toEqual({
    with: clockAndState.name,
    bytesPerKey: 4,
    redisMicroseconds: { median: 2, lowest: 1, highest: 3 },
  })
  expect(comparedWithTextbook?.redisMicroseconds).toEqual({ median: 1, lowest: 1, highest: 1 })
})

function costsOf(bytesPerKey: number, microseconds: readonly number[]): Costs {
  const rest = { commandsSent: 1, commandsWithin: 1, bytesIn: 1, bytesOut: 1 }
  return { bytesPerKey, rounds: microseconds.map((microseconds) => ({ microseconds, ...rest })) }
}
