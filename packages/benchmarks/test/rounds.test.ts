import { describe, expect, test } from 'vitest'
import { inRounds, spreadOf } from '../src/rounds.js'

describe('rounds', () => {
  test('start with another contender each time, and keep the figures in the order of the rounds', async () => {
    const order: string[] = []
    const found = await inRounds(['a', 'b', 'c'], 4, async (contender, round) => {
      order.push(contender)
      return round
    })
    expect(order.join('')).toBe('abcbcacababc')
    expect([...found]).toEqual([
      ['a', [0, 1, 2, 3]],
      ['b', [0, 1, 2, 3]],
      ['c', [0, 1, 2, 3]],
    ])
  })

  test.each([
    { figures: [10, 9, 100], spread: { median: 10, lowest: 9, highest: 100 } },
    { figures: [4, 1, 10, 2], spread: { median: 3, lowest: 1, highest: 10 } },
  ])('have a median, a lowest and a highest value: $figures', ({ figures, spread }) => {
    expect(spreadOf(figures)).toEqual(spread)
  })
})
