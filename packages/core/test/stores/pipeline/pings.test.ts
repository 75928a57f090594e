import { afterEach, beforeEach, expect, test } from 'vitest'
import { createPings } from '../../../src/stores/pipeline/pings.js'
import { deferred, holdTime, pass, releaseTime } from './stub-store.js'

beforeEach(holdTime)
afterEach(releaseTime)

/** Pings that the test answers. `sent` records the target of each ping. */
function bench(places: number) {
  const sent: number[] = []
  const answers: { resolve(value: boolean): void }[] = []
  const ping = createPings(places, (place) => {
    const { promise, resolve } = deferred<boolean>()
    sent.push(place)
    answers.push({ resolve })
    return promise
  })
  return { ping, sent, answers }
}

test('calls share one pending ping and its answer', async () => {
  const { ping, sent, answers } = bench(1)
  const asked = Array.from({ length: 100 }, ping)
  expect(sent).toEqual([0])
  answers[0].resolve(true)
  expect(await Promise.all(asked)).toEqual(Array(100).fill(true))
})

test('the next ping is sent after the previous one is answered, whatever the answer', async () => {
  const { ping, sent, answers } = bench(1)
  for (const [i, answer] of [true, false, true].entries()) {
    const asked = ping()
    answers[i].resolve(answer)
    expect(await asked).toBe(answer)
  }
  expect(sent).toEqual([0, 0, 0])
})

test('a ping without an answer is replaced by a new one after 30 seconds', async () => {
  const { ping, sent, answers } = bench(1)
  void ping()
  await pass(29_999)
  void ping()
  expect(sent).toEqual([0])
  await pass(1)
  const asked = ping()
  expect(sent).toEqual([0, 0])
  answers[1].resolve(true)
  expect(await asked).toBe(true)
})

test('several servers receive pings in turn, and a server without an answer does not delay the others', async () => {
  const { ping, sent, answers } = bench(3)
  void ping()
  const second = ping()
  void ping()
  expect(sent).toEqual([1, 2, 0])
  answers[1].resolve(true)
  expect(await second).toBe(true)
  const third = ping()
  void ping()
  expect(sent).toEqual([1, 2, 0, 2])
  answers[3].resolve(true)
  expect(await third).toBe(true)
})
