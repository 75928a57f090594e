import { expect, test } from 'vitest'
import { randomFrom } from '@sluice/test-kit/random'
import { firstInOrder } from '../src/first-in-order.js'

test.each([0, 1, 7, 100])('the first %i items of an order are those of the sorted list', (most) => {
  const random = randomFrom(most)
  const items = Array.from({ length: 60 }, (_, i) => ({ i, n: Math.floor(random() * 9) }))
  const byNumber = (a: { readonly n: number }, b: { readonly n: number }) => b.n - a.n
  expect(firstInOrder(items, most, byNumber)).toEqual(items.toSorted(byNumber).slice(0, most))
})
