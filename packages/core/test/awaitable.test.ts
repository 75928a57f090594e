import { expect, test } from 'vitest'
import { isPromise } from '../src/awaitable.js'

/** A thenable that is not a promise. */
const thenable: Pick<Promise<number>, 'then'> = {
  then: (...listeners) => Promise.resolve(5).then(...listeners),
}

test.each([1, 0, '', null, undefined, false, { then: 5 }, () => {}])(
  '%s is not a promise',
  (value) => {
    expect(isPromise(value)).toBe(false)
  },
)

test.each([
  ['a promise', Promise.resolve(5)],
  ['a thenable', thenable],
  ['a function that is a thenable', Object.assign(() => {}, thenable)],
])('%s is one', (_, value) => {
  expect(isPromise(value)).toBe(true)
})
