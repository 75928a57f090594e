import { describe, expect, onTestFinished, test, vi } from 'vitest'
import {
  createLimiter,
  fixedWindow,
  redisStore,
  type RedisClient,
  type StoreCallEvent,
  type StoreErrorEvent,
} from '../../src/index.js'
import { storeEvents } from '../../src/stores/events.js'
import {
  asking,
  deferred,
  failure,
  holdTime,
  pass,
  pipelineOver,
  releaseTime,
  stubStore,
} from './pipeline/stub-store.js'
import { toldOn } from '@sluice/test-kit/told-on'

const policies = fixedWindow({ limit: 1, window: '1h' })
const request = asking(policies)

describe('sluice:store:error', () => {
  test('publishes each error of a call once, however many requests it fails', async () => {
    const errors = toldOn<StoreErrorEvent>('sluice:store:error')
    const stub = stubStore()
    const store = pipelineOver(stub)
    const [one, another] = [failure('one'), failure('another')]
    // A list of four requests is sent in two calls.
    const answers = [
      [one, one],
      [another, { allowed: true, states: [] }],
    ]
    stub.answer = async () => answers.shift() ?? []
    await store.run([request('consume'), request('peek'), request('block'), request('peek')])
    expect(errors).toEqual([
      { store: 'stub', error: one },
      { store: 'stub', error: another },
    ])
    expect(errors.map(({ error }) => error)).toEqual([one, another])
  })

  test('publishes nothing for requests that were not sent to the store', async () => {
    const errors = toldOn<StoreErrorEvent>('sluice:store:error')
    const stub = stubStore()
    stub.fail()
    const store = pipelineOver(stub)
    for (let i = 0; i < 10; i++) await store.run([request('consume')])
    expect([errors.length, stub.calls.length]).toEqual([3, 3])
  })

  test('publishes the error of an unreachable Redis, with its cause', async () => {
    const errors = toldOn<StoreErrorEvent>('sluice:store:error')
    const gone = async () => Promise.reject(new Error('ECONNREFUSED'))
    const client: RedisClient = { isCluster: false, evalSha: gone, eval: gone }
    const limiter = createLimiter({ name: 'api', policies, store: redisStore(client) })
    expect((await limiter.consume('key')).source).toBe('fallback')
    expect(errors.map(({ store, error }) => [store, error.code, error.cause])).toEqual([
      ['redis', 'SLUICE_STORE_FAILED', new Error('ECONNREFUSED')],
    ])
  })
})

describe('sluice:store:call', () => {
  test('publishes each call once, with its requests and its first error', async () => {
    const calls = toldOn<StoreCallEvent>('sluice:store:call')
    const stub = stubStore()
    const store = pipelineOver(stub)
    const [one, another] = [failure('one'), failure('another')]
    const decided = { allowed: true, states: [] }
    // A list of four requests is sent in two calls, and one alone in a third.
    const answers = [[decided, one], [another, one], [decided]]
    stub.answer = async () => answers.shift() ?? []
    await store.run([request('consume'), request('peek'), request('block'), request('peek')])
    await store.run([request('peek')])
    expect(calls.map(({ store: name, requests, error }) => [name, requests, error])).toEqual([
      ['stub', 2, one],
      ['stub', 2, another],
      ['stub', 1, undefined],
    ])
  })

  test('publishes the time until the last answer, and a late answer not again', async () => {
    holdTime()
    onTestFinished(releaseTime)
    const calls = toldOn<StoreCallEvent>('sluice:store:call')
    const stub = stubStore()
    const store = pipelineOver(stub, { timeoutMs: 100 })
    const held = [deferred<void>(), deferred<void>()]
    let next = 0
    stub.answer = async (requests) => {
      await held[next++]?.promise
      return requests.map(() => ({ allowed: false, states: [] }))
    }
    const inTime = store.run([request('peek')])
    await pass(40)
    expect(calls).toEqual([])
    held[0].resolve()
    await inTime
    expect(calls).toEqual([{ store: 'stub', requests: 1, durationMs: 40, error: undefined }])
    const late = store.run([request('peek')])
    await pass(100)
    await late
    held[1].resolve()
    await pass(0)
    expect(calls.slice(1)).toMatchObject([
      { requests: 1, durationMs: 100, error: { code: 'SLUICE_STORE_TIMEOUT' } },
    ])
  })

  test('publishes nothing for requests that were not sent to the store', async () => {
    const calls = toldOn<StoreCallEvent>('sluice:store:call')
    const stub = stubStore()
    stub.fail()
    const store = pipelineOver(stub)
    for (let i = 0; i < 10; i++) await store.run([request('consume')])
    expect([calls.length, stub.calls.length]).toEqual([3, 3])
  })

  test('publishes the calls of a store whose requests share no timer', async () => {
    const calls = toldOn<StoreCallEvent>('sluice:store:call')
    const store = pipelineOver(stubStore(), { isRequestBound: true })
    await store.run([request('peek'), request('peek')])
    expect(calls.map(({ requests }) => requests)).toEqual([2])
  })

  test('notes nothing without a subscriber, and publishes no call that began before it', async () => {
    const publish = vi.spyOn(storeEvents.storeCall, 'publish')
    const stub = stubStore()
    const store = pipelineOver(stub)
    await store.run([request('peek')])
    expect(publish.mock.calls).toEqual([])
    vi.restoreAllMocks()
    const held = deferred<void>()
    stub.answer = async (requests) => {
      await held.promise
      return requests.map(stub.memory.run)
    }
    const early = store.run([request('peek')])
    const calls = toldOn<StoreCallEvent>('sluice:store:call')
    held.resolve()
    await early
    expect(calls).toEqual([])
    await store.run([request('peek')])
    expect(calls.length).toBe(1)
  })
})
