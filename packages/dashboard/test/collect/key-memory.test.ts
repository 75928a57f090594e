import { expect, test } from 'vitest'
import { KeyMemory } from '../../src/collect/key-memory.js'
import { RecentKeys } from '../../src/collect/recent-keys.js'

test('a sketch keeps all of its places, however many keys replace each other in it', () => {
  const memory = new KeyMemory()
  const sketch = new RecentKeys(0)
  memory.watch(sketch)
  // Together they have 20 times the bytes that all sketches may have, and at any time the sketch has a thirtieth of them.
  for (let i = 0; i < 200_000; i++) memory.add(sketch, `key ${i}`, 1)
  expect(sketch.counts().lists.map(({ keys }) => keys.length)).toEqual([256])
})

test('sketches that are too large are halved, the largest first, until the next ones begin', () => {
  const memory = new KeyMemory()
  const [long, short] = [new RecentKeys(0), new RecentKeys(0)]
  for (const sketch of [short, long]) memory.watch(sketch)
  const fill = (): readonly (readonly number[])[] => {
    for (let i = 0; i < 256; i++) {
      memory.add(short, `${i}`, 1)
      memory.add(long, `${i}`.padEnd(10_000, 'x'), 1)
    }
    return [short, long].map((sketch) => sketch.counts().lists.map(({ keys }) => keys.length))
  }
  const [[ofShort], [ofLong]] = fill()
  expect(ofShort).toBe(256)
  expect(ofLong).toBeLessThan(256)
  memory.rotate(1)
  memory.rotate(2)
  memory.rotate(3)
  for (let i = 0; i < 256; i++) memory.add(long, `${i}`, 1)
  expect(long.counts().lists.map(({ keys }) => keys.length)).toEqual([256])
})
