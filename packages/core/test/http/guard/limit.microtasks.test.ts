import { expect, test } from 'vitest'
import { guardOf } from '../visit.js'

/** The microtasks that pass until a promise has settled. */
async function microtasksUntil(settled: Promise<unknown>): Promise<number> {
  let isSettled = false
  void settled.then(() => (isSettled = true))
  let microtasks = 0
  for (; !isSettled; microtasks++) await null
  return microtasks
}

test('a request over memory takes four microtasks, and a denied one takes five', async () => {
  const check = guardOf({ limit: 2, window: '1m' })
  const taken: number[] = []
  for (let i = 0; i < 4; i++) taken.push(await microtasksUntil(check()))
  expect(taken).toEqual([4, 4, 5, 5])
})
