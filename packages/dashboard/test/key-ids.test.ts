import { expect, test } from 'vitest'
import { KeyIds } from '../src/key-ids.js'

test('the ids of a process are those of the others as soon as they share their secret, also of keys that it has named before', () => {
  const [one, other] = [new KeyIds(), new KeyIds()]
  const before = one.idOf('api', 'ann')
  expect(before).not.toBe(other.idOf('api', 'ann'))
  one.share(other.secret)
  expect(one.idOf('api', 'ann')).toBe(other.idOf('api', 'ann'))
  one.share(other.secret)
  expect(one.idOf('api', 'ann')).toBe(other.idOf('api', 'ann'))
  expect(one.opened('api', other.sealed('api', 'ann'))).toBe('ann')
})

test('ten thousand keys have ids of their own, and each the same one again', () => {
  const ids = new KeyIds()
  const idsOf = (): readonly string[] =>
    Array.from({ length: 10_000 }, (_, i) =>
      ids.idOf(i % 2 === 0 ? 'api' : 'login', `key ${i >> 1}`),
    )
  const first = idsOf()
  expect(new Set(first).size).toBe(10_000)
  expect(idsOf()).toEqual(first)
})
