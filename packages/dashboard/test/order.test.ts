import { expect, test } from 'vitest'
import { heldOrder } from '../page/order.js'

interface Row {
  readonly limiter: string
  readonly id: string
  readonly denials: number
  readonly isGone?: boolean
}

const row = (id: string, denials = 0): Row => ({ limiter: 'api', id, denials })

test('a held order keeps the places of known rows, with their new figures', () => {
  const shown = [row('a', 3), row('b', 2), row('c', 1)]
  expect(heldOrder([row('c', 9), row('a', 4), row('b', 3)], shown)).toEqual([
    row('a', 4),
    row('b', 3),
    row('c', 9),
  ])
})

test('a row that has left the list stays and is marked, and new rows follow', () => {
  expect(heldOrder([row('d', 9), row('a', 4)], [row('a', 3), row('b', 2)])).toEqual([
    row('a', 4),
    { ...row('b', 2), isGone: true },
    row('d', 9),
  ])
})

test('a row that is in the list again is no longer marked', () => {
  expect(heldOrder([row('a', 4)], [{ ...row('a', 3), isGone: true }])).toEqual([row('a', 4)])
})

test('the same key of two limiters is two rows', () => {
  const other = { ...row('a', 5), limiter: 'login' }
  expect(heldOrder([other, row('a', 4)], [row('a', 3)])).toEqual([row('a', 4), other])
})
