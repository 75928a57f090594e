import { expect, test } from 'vitest'
import { guardOf } from '../visit.js'

/** The microtasks that pass until a promise has settled. */
async function microtasksUntil(settled: Promise<unknown>): Promise<number> {
  let microtasks: number | undefined
  void settled.then(() => (microtasks = 0))
  for (let passed = 0; ; passed++) {
    if (microtasks !== undefined) return passed
    await Promise.resolve()
  }
}

test('a request over memory takes four microtasks, and a denied one takes five', async () => {
  const check = guardOf({ limit: 2, window: '1m' })
  const taken: number[] = []
  for (let i = 0; i < 4; i++) taken.push(await microtasksUntil(check()))
  expect(taken).toEqual([4, 4, 5, 5])
})
