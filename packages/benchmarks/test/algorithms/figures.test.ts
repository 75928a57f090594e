import { expect, test } from 'vitest'
import type { Contender } from '../../src/algorithms/contender.js'
import { figuresOf } from '../../src/algorithms/figures.js'
import type { Costs } from '../../src/algorithms/trial.js'
import { clockAndState, floor } from '../../src/algorithms/yardsticks.js'

test('contenders are compared within each round, not by figures of different rounds', () => {
  const own = { ...floor, name: 'own' }
  const costs = new Map<Contender, Costs>([
    [floor, costsOf(50, [1, 2, 4])],
    [own, costsOf(100, [6, 6, 8])],
    [clockAndState, costsOf(25, [2, 3, 8])],
  ])
  const { comparedWithFloor, comparedWithScript } = figuresOf(own, costs)
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
})

function costsOf(bytesPerKey: number, microseconds: readonly number[]): Costs {
  const rest = { commandsSent: 1, commandsWithin: 1, bytesIn: 1, bytesOut: 1 }
  return { bytesPerKey, rounds: microseconds.map((microseconds) => ({ microseconds, ...rest })) }
}
