import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { setImmediate as turn } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { fixedWindow, SluiceError, type BreakerEvent } from '../../../src/index.js'
import { sluiceError } from '../../../src/errors.js'
import type { Answer, AsyncStore } from '../../../src/stores/store.js'
import {
  asking,
  deferred,
  gone,
  holdTime,
  pass,
  pipelineOver,
  releaseTime,
  stubStore,
  type StubStore,
} from './stub-store.js'

const request = asking(fixedWindow({ limit: 100, window: '1h' }))
const unavailable = 'SLUICE_STORE_UNAVAILABLE'
const failed = 'SLUICE_STORE_FAILED'

beforeEach(holdTime)
afterEach(releaseTime)

async function ask(store: AsyncStore): Promise<string> {
  const [answer] = await store.run([request('consume')])
  return answer instanceof SluiceError ? answer.code : 'decided'
}

async function askTimes(store: AsyncStore, times: number): Promise<string[]> {
  const answers: string[] = []
  for (let i = 0; i < times; i++) answers.push(await ask(store))
  return answers
}

/** A store that has just failed three times, and its breaker. */
async function opened(): Promise<{ readonly stub: StubStore; readonly store: AsyncStore }> {
  const stub = stubStore()
  const store = pipelineOver(stub)
  stub.fail()
  expect(await askTimes(store, 3)).toEqual([failed, failed, failed])
  stub.calls.length = 0
  return { stub, store }
}

test('returns the replies of the store unchanged', async () => {
  const stub = stubStore()
  const given: readonly Answer[] = [gone, { allowed: true, states: [] }]
  stub.answer = async () => given
  expect(await pipelineOver(stub).run([request('peek'), request('peek')])).toEqual(given)
})

test('opens after three failed calls in a row, and then fails each request at once', async () => {
  const { stub, store } = await opened()
  const answers = await store.run([request('consume'), request('peek'), request('block')])
  expect(answers.map((answer) => answer instanceof SluiceError && answer.code)).toEqual(
    Array(3).fill(unavailable),
  )
  expect(stub.calls).toEqual([])
})

test('counts only failures in a row', async () => {
  const stub = stubStore()
  const store = pipelineOver(stub)
  const answers: string[] = []
  for (let i = 0; i < 4; i++) {
    stub.fail()
    answers.push(...(await askTimes(store, 2)))
    stub.work()
    answers.push(await ask(store))
  }
  expect(answers).toEqual(Array.from({ length: 4 }, () => [failed, failed, 'decided']).flat())
})

test('counts only calls that failed as a whole', async () => {
  const stub = stubStore()
  const store = pipelineOver(stub)
  stub.answer = async () => [gone, { allowed: true, states: [] }]
  for (let i = 0; i < 10; i++) await store.run([request('consume'), request('consume')])
  expect(stub.calls).toHaveLength(10)
})

test('does not count an error for one key, because the store is available', async () => {
  const stub = stubStore()
  const store = pipelineOver(stub)
  stub.answer = async () => [sluiceError('SLUICE_STORE_FAILED', 'stub', 'WRONGTYPE')]
  expect(await askTimes(store, 10)).toEqual(Array(10).fill(failed))
  expect(stub.calls).toHaveLength(10)
})

describe('a store that answers every request with an error', () => {
  const refused = sluiceError('SLUICE_STORE_FAILED', 'stub', 'OOM')

  function refusing(): { readonly stub: StubStore; readonly store: AsyncStore } {
    const stub = stubStore()
    stub.answer = async (requests) => requests.map(() => refused)
    return { stub, store: pipelineOver(stub) }
  }

  async function askFor(store: AsyncStore, ...keys: readonly string[]): Promise<string[]> {
    const answers = await store.run(keys.map((key) => request('consume', { keys: [key] })))
    return answers.map((answer) => (answer instanceof SluiceError ? answer.code : 'decided'))
  }

  test('opens the breaker after three calls in a row, each with a key that was not refused before', async () => {
    const { stub, store } = refusing()
    const calls = [['a'], ['a'], ['b', 'a'], ['b'], ['c'], ['d']]
    const answers: string[][] = []
    for (const keys of calls) {
      answers.push(await askFor(store, ...keys))
      await turn()
    }
    expect(answers).toEqual([
      [failed],
      [failed],
      [failed, failed],
      [failed],
      [failed],
      [unavailable],
    ])
    // The last call is the peek at a refused key.
    expect(stub.calls).toHaveLength(6)
    expect(stub.calls[5]).toMatchObject([{ verb: 'peek', keys: ['c'] }])
  })

  test('does not open the breaker if it refuses only writes, because it still denies keys over their limit', async () => {
    const { stub, store } = refusing()
    stub.answer = async (requests) =>
      requests.map((asked) => (asked.verb === 'peek' ? stub.memory.run(asked) : refused))
    for (let i = 0; i < 20; i++) {
      expect(await askFor(store, `${i}`)).toEqual([failed])
      await pass(100)
    }
    expect(await store.ping()).toBe(true)
  })

  test('does not open the breaker if another request is decided in between', async () => {
    const { stub, store } = refusing()
    for (let i = 0; i < 10; i++) {
      expect(await askFor(store, `${i} a`)).toEqual([failed])
      expect(await askFor(store, `${i} b`)).toEqual([failed])
      stub.work()
      expect(await askFor(store, 'c')).toEqual(['decided'])
      await pass(250)
      stub.answer = async () => [refused]
    }
  })

  test('is unavailable to a ping, until a request is decided again', async () => {
    const { stub, store } = refusing()
    expect(await store.ping()).toBe(true)
    for (const key of ['a', 'b', 'c']) await askFor(store, key)
    await turn()
    expect(await store.ping()).toBe(false)
    await askFor(store, 'd')
    stub.work()
    expect([await askFor(store, 'd'), await store.ping()]).toEqual([['decided'], true])
  })

  test('is available to a ping again a second after the last error, even without traffic', async () => {
    const { store } = refusing()
    for (const key of ['a', 'b', 'c']) await askFor(store, key)
    await turn()
    await pass(999)
    expect(await store.ping()).toBe(false)
    await pass(1)
    expect(await store.ping()).toBe(true)
  })
})

test.each([
  ['a store that does not answer in time', sluiceError('SLUICE_STORE_TIMEOUT', 'stub', 250)],
  ['a store that cannot be reached', gone],
])('counts %s', async (_, error) => {
  const stub = stubStore()
  const store = pipelineOver(stub)
  stub.fail()
  stub.answer = async () => [error]
  expect(await askTimes(store, 5)).toEqual([
    error.code,
    error.code,
    error.code,
    unavailable,
    unavailable,
  ])
})

test('does not count errors of a store that was closed on purpose', async () => {
  const stub = stubStore()
  const store = pipelineOver(stub)
  stub.answer = async () => [sluiceError('SLUICE_STORE_CLOSED', 'stub')]
  expect(await askTimes(store, 5)).toEqual(Array(5).fill('SLUICE_STORE_CLOSED'))
})

test('sends the store a ping every 200 ms while there is traffic, and none without traffic', async () => {
  const { stub, store } = await opened()
  await pass(10_000)
  expect([stub.pings, vi.getTimerCount()]).toEqual([0, 0])
  const pings: number[] = []
  for (let ms = 0; ms < 600; ms += 50) {
    expect(await askTimes(store, 3)).toEqual([unavailable, unavailable, unavailable])
    pings.push(stub.pings)
    await pass(50)
  }
  expect(pings).toEqual([1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3])
  expect(stub.calls).toEqual([])
})

test('sends one request to a store that answers pings again, and all others after it has succeeded', async () => {
  const { stub, store } = await opened()
  stub.isThere = async () => true
  expect(await ask(store)).toBe(unavailable)
  const answer = deferred<readonly Answer[]>()
  stub.answer = () => answer.promise
  const tried = ask(store)
  expect(await askTimes(store, 5)).toEqual(Array(5).fill(unavailable))
  expect(stub.calls).toHaveLength(1)
  answer.resolve([{ allowed: true, states: [] }])
  expect(await tried).toBe('decided')
  stub.work()
  expect(await askTimes(store, 5)).toEqual(Array(5).fill('decided'))
  expect(stub.calls).toHaveLength(6)
})

test('stays open if that request fails, and tries again 200 ms later', async () => {
  const { stub, store } = await opened()
  stub.isThere = async () => true
  expect(await askTimes(store, 3)).toEqual([unavailable, failed, unavailable])
  expect(stub.pings).toBe(1)
  await pass(199)
  expect(await askTimes(store, 2)).toEqual([unavailable, unavailable])
  await pass(1)
  stub.work()
  expect(await askTimes(store, 3)).toEqual([unavailable, 'decided', 'decided'])
})

test('closes within two pings after the store has recovered, at any time', async () => {
  for (let downMs = 0; downMs <= 400; downMs += 40) {
    const { stub, store } = await opened()
    for (let ms = 0; ms < downMs; ms += 10) {
      await ask(store)
      await pass(10)
    }
    stub.work()
    let backAfterMs = 0
    while ((await ask(store)) !== 'decided') {
      backAfterMs += 10
      await pass(10)
    }
    expect(backAfterMs).toBeLessThanOrEqual(400)
  }
})

test('publishes each change of state once', async () => {
  const told: BreakerEvent[] = []
  const listen = (event: unknown) => void told.push(event as BreakerEvent)
  subscribe('sluice:breaker', listen)
  onTestFinished(() => void unsubscribe('sluice:breaker', listen))
  const { stub, store } = await opened()
  await askTimes(store, 10)
  await pass(200)
  stub.isThere = async () => true
  expect(await askTimes(store, 3)).toEqual([unavailable, failed, unavailable])
  await pass(200)
  stub.work()
  await askTimes(store, 10)
  expect(told).toEqual([
    { store: 'stub', state: 'open', error: gone },
    { store: 'stub', state: 'closed', error: undefined },
  ])
})

test('pings and closes the store directly', async () => {
  const { stub, store } = await opened()
  expect(await store.ping()).toBe(false)
  await store.close()
  expect([stub.pings, stub.isClosed]).toEqual([1, true])
})

test('does not open for a store that answers in part, such as a Cluster without one of its masters', async () => {
  const stub = stubStore()
  const store = pipelineOver(stub)
  expect(await ask(store)).toBe('decided')
  stub.fail()
  await pass(249)
  expect(await askTimes(store, 5)).toEqual(Array(5).fill(failed))
  await pass(1)
  expect(await askTimes(store, 4)).toEqual([failed, failed, failed, unavailable])
})
