import { randomFrom } from '@sluice/test-kit/random'
import { expect, test } from 'vitest'
import { RecentMap } from '../../src/match/recent-map.js'

test('ten thousand entries, used again at random, never exceed the bound, and half of it were used last', () => {
  const bound = 100
  const map = new RecentMap<number, string>(bound)
  const random = randomFrom(7)
  let used: number[] = []
  for (let i = 0; i < 10_000; i++) {
    const key = Math.floor(random() * 300)
    const known = map.get(key)
    expect(known === undefined || known === `value ${key}`).toBe(true)
    if (known === undefined) map.set(key, `value ${key}`)
    expect(map.size).toBeLessThanOrEqual(bound)
    used = [...used.filter((one) => one !== key), key].slice(-bound / 2)
  }
  expect(used.map((key) => map.get(key))).toEqual(used.map((key) => `value ${key}`))
})

test('an entry that is used stays, however many others come', () => {
  const map = new RecentMap<number, string>(10)
  map.set(-1, 'used')
  for (let i = 0; i < 10_000; i++) {
    expect(map.get(-1)).toBe('used')
    map.set(i, 'once')
  }
})
