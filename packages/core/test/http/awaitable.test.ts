import { expect, test } from 'vitest'
import { after, together } from '../../src/awaitable.js'

/** A thenable that is not a promise. */
function thenable<T>(value: T): Pick<Promise<T>, 'then'> {
  return { then: (...listeners) => Promise.resolve(value).then(...listeners) }
}

test.each([1, 0, '', null, undefined, false, { then: 5 }, () => {}])(
  'passes on %s in the same tick',
  (value) => {
    const given: unknown[] = []
    expect(after(value, (there) => given.push(there))).toBe(1)
    expect(given).toEqual([value])
  },
)

test.each([
  ['a promise', Promise.resolve(5)],
  ['a thenable', thenable(5)],
  ['a function that is a thenable', Object.assign(() => {}, thenable(5))],
])('passes on %s later', async (_, promised) => {
  const given: unknown[] = []
  const done = after(promised, (there) => given.push(there))
  expect(given).toEqual([])
  expect([await done, given]).toEqual([1, [5]])
})

test('returns all values in order, in the same tick if none is a promise', () => {
  expect(together([1, 2, 3], (n) => 2 * n)).toEqual([2, 4, 6])
  expect(together([], () => 1)).toEqual([])
})

test('returns all values in order, when the last promise resolves', async () => {
  const sources = [1, Promise.resolve(2), thenable(3)]
  expect(await together(sources, (source) => source)).toEqual([1, 2, 3])
})

test('rethrows the error of a source, and reads no further source', () => {
  const asked: number[] = []
  const ask = (n: number) => {
    asked.push(n)
    if (n === 2) throw new Error('two')
    return n
  }
  expect(() => together([1, 2, 3], ask)).toThrowError('two')
  expect(asked).toEqual([1, 2])
})
