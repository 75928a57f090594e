import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { keepLease } from '../../src/internal.js'
import { pass, useTimers } from '../limited/limited-bench.js'

const lengthMs = 12_000

beforeEach(useTimers)
afterEach(() => {
  vi.useRealTimers()
})

/** A lease whose store is unavailable from one moment until another: a renewal returns false, or rejects. */
function leaseDuring(from: number, until: number, failure: () => boolean) {
  const began = performance.now()
  let [endsAt, calls, isLost] = [lengthMs, 0, false]
  const lease = {
    id: 'lease',
    token: 1,
    lengthMs,
    release: () => true,
    async renew() {
      calls++
      const now = performance.now() - began
      isLost ||= now >= endsAt
      if (isLost || (from <= now && now < until)) return failure()
      endsAt = now + lengthMs
      return true
    },
  }
  return { lease, isLost: () => isLost, calls: () => calls }
}

test.each([
  ['returns false', () => false],
  [
    'rejects',
    () => {
      throw new Error('unavailable')
    },
  ],
])(
  'a lease outlasts a store that is unavailable for half of its time, and %s',
  async (_, failure) => {
    for (let from = 0; from <= lengthMs; from += 500) {
      const { lease, isLost, calls } = leaseDuring(from, from + lengthMs / 2, failure)
      const release = keepLease(lease)
      for (let second = 0; second < 36; second++) await pass(1000)
      expect([isLost(), calls() < 20]).toEqual([false, true])
      expect(release()).toBe(true)
      expect(vi.getTimerCount()).toBe(0)
    }
  },
)

test('a lease that is lost is asked for as rarely as one that is held', async () => {
  const { lease, isLost, calls } = leaseDuring(0, Infinity, () => false)
  const release = keepLease(lease)
  for (let second = 0; second < 20; second++) await pass(1000)
  const before = calls()
  for (let second = 0; second < 12; second++) await pass(1000)
  expect([isLost(), calls() - before]).toEqual([true, 3])
  await release()
})

test('a release during a renewal ends the renewals', async () => {
  let renewed: (isRenewed: boolean) => void = () => {}
  const renew = vi.fn(() => new Promise<boolean>((resolve) => (renewed = resolve)))
  const release = keepLease({ id: 'lease', token: 1, lengthMs, release: () => true, renew })
  await pass(lengthMs / 3)
  await release()
  renewed(true)
  await pass(lengthMs)
  expect([renew.mock.calls.length, vi.getTimerCount()]).toEqual([1, 0])
})
