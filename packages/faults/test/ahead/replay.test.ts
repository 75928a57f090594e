import { createLimiter, gcra, slidingWindow, type Policy } from '@sluice/core'
import { randomFrom, seed } from '@sluice/test-kit/random'
import { expect, test } from 'vitest'
import {
  replayRate,
  replaySubWindows,
  replayWindows,
  type Admission,
  type Replay,
} from '../../src/ahead/replay.js'

const at = (ms: number, count: number): Admission[] => Array.from({ length: count }, () => [ms, ms])

test('the replay of a window refuses each request that exceeds its limit', () => {
  const replay = replayWindows(3, 100)
  expect(replay([...at(0, 3), ...at(99, 1), ...at(100, 3), ...at(200, 5)])).toBe(3)
})

test('a request between two windows counts in that which has room, whatever the order', () => {
  const replay = replayWindows(3, 100)
  expect(replay([[90, 110], ...at(150, 3), ...at(50, 2)])).toBe(0)
  expect(replay([[90, 110], ...at(150, 3), ...at(50, 3)])).toBe(1)
})

test.each<[string, Policy, Replay]>([
  ['a rate', gcra({ limit: 100, window: 1000, burst: 7 }), replayRate(100, 1000, 7)],
  [
    'sub-windows',
    slidingWindow({ limit: 70, window: 1000, buckets: 4 }),
    replaySubWindows(70, 1000, 4),
  ],
])('the replay of %s refuses what the algorithm refuses', (_, policies, replay) => {
  const random = randomFrom(seed)
  let now = 1_000_000
  const exact = createLimiter({ name: 'exact', policies, clock: () => now })
  const asked: Admission[] = []
  let denied = 0
  for (let i = 0; i < 2000; i++) {
    now += Math.floor(random() * 20)
    denied += Number(!exact.consume('key').allowed)
    asked.push([now, now])
  }
  expect(denied).toBeGreaterThan(100)
  expect(replay(asked)).toBe(denied)
})

test('a request whose moment is not known counts from its first, and is refused only if its last is too early', () => {
  const replay = replayRate(100, 1000, 2)
  expect(replay([...at(0, 2), [0, 9]])).toBe(1)
  expect(replay([...at(0, 2), [0, 10]])).toBe(0)
})
