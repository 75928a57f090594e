import { expect, test } from 'vitest'
import { createLimiter, fixedWindow, memoryStore } from '../../src/index.js'

/** The times, from this one on, at which a key can be used again after each decision. */
function boundariesFrom(start: number, offset: number): number[] {
  let now = start
  const policy = fixedWindow({ limit: 1, window: 1000, align: 'clock', offset })
  const limiter = createLimiter({
    name: 'api',
    policies: policy,
    store: memoryStore(),
    clock: () => now,
  })
  return [1, 2, 3].map(() => {
    now += limiter.consume('key').resetMs
    return now
  })
}

test('windows of the clock end at whole windows after the offset, also before the first one', () => {
  expect(boundariesFrom(0, 300)).toEqual([300, 1300, 2300])
  expect(boundariesFrom(299, 300)).toEqual([300, 1300, 2300])
  expect(boundariesFrom(300, 300)).toEqual([1300, 2300, 3300])
  expect(boundariesFrom(301, 300)).toEqual([1300, 2300, 3300])
})
