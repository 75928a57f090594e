import { expect, test } from 'vitest'
import { heldOrder, leftList, rowsOf } from '../../page/order.js'
import { base, denied as deniedKey, limiter as limiterOf } from '../samples.js'

interface Row {
  readonly name: string
  readonly denials: number
  readonly isGone?: boolean
}

const always = (): boolean => true

const row = (name: string, denials = 0): Row => ({ name, denials })

test('a held order keeps the places of known rows, with their new figures', () => {
  const shown = [row('a', 3), row('b', 2), row('c', 1)]
  expect(heldOrder([row('c', 9), row('a', 4), row('b', 3)], shown, always)).toEqual([
    row('a', 4),
    row('b', 3),
    row('c', 9),
  ])
})

test('a row that has left the list stays and is marked, and new rows follow', () => {
  expect(heldOrder([row('d', 9), row('a', 4)], [row('a', 3), row('b', 2)], always)).toEqual([
    row('a', 4),
    { ...row('b', 2), isGone: true },
    row('d', 9),
  ])
})

test('a row that is in the list again is no longer marked', () => {
  expect(heldOrder([row('a', 4)], [{ ...row('a', 3), isGone: true }], always)).toEqual([
    row('a', 4),
  ])
})

test('the same key of two limiters is two rows, and so are two keys that the reader may not see', () => {
  const view = (changes: object) => {
    const limiters = ['api', 'login'].map((name) => limiterOf(1000, { name, rate: 1 }))
    return { ...base(1000), limiters, ...changes }
  }
  const namesIn = (changes: object) =>
    rowsOf(view(changes), '', () => [{ key: 'a' }, { key: 'b' }]).map(({ name }) => name)
  expect(new Set(namesIn({})).size).toBe(4)
  const hidden = rowsOf(view({ isMasked: true }), '', () => [{ key: '…' }, { key: '…' }])
  expect(new Set(hidden.map(({ name }) => name)).size).toBe(4)
})

test('a row that a part of the list does not contain stays as it was until its time has come', () => {
  const limiter = (name: string, deniedTotal: number) => ({
    ...limiterOf(1000, { name, rate: 1 }),
    deniedTotal,
  })
  const isGone = leftList({ ...base(1000), limiters: [limiter('api', 3), limiter('login', 0)] })
  const denied = (limiterName: string, untilAt: number | null) => ({
    ...deniedKey(0, { key: 'ann', policies: [], denials: 1, forMs: 0 }),
    limiter: limiterName,
    name: `${limiterName} ann`,
    isHidden: false,
    canAct: true,
    untilAt,
  })
  const rows = [
    denied('api', 1001),
    denied('api', null),
    denied('api', 1000),
    denied('login', 1001),
  ]
  expect(rows.map(isGone)).toEqual([false, false, true, true])
  expect(heldOrder([], rows.slice(1, 3), isGone)).toEqual([rows[1], { ...rows[2], isGone: true }])
})
