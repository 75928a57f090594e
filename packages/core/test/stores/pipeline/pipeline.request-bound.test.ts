import { AsyncLocalStorage } from 'node:async_hooks'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import {
  fixedWindow,
  redisStore,
  SluiceError,
  type AsyncStore,
  type RedisClient,
} from '../../../src/index.js'
import { PendingRequest, submitOf } from '../../../src/stores/queue/pending.js'
import { asker, recorder } from '../queue/held-store.js'
import {
  asking,
  deferred,
  holdTime,
  pass,
  pipelineOver,
  releaseTime,
  stubStore,
} from './stub-store.js'

// A platform such as Cloudflare Workers: a request can neither wait for the reply to another request nor use its timers.

const policies = fixedWindow({ limit: 5, window: '1h' })
const request = asking(policies)

beforeEach(holdTime)
afterEach(releaseTime)

async function ask(store: AsyncStore): Promise<string> {
  const [answer] = await store.run([request('consume')])
  return answer instanceof SluiceError ? answer.code : 'decided'
}

test('each request is sent at once, in a call of its own', () => {
  const { store, calls } = recorder()
  const { ask: askFor } = asker(pipelineOver(store, { isRequestBound: true }))
  for (let i = 0; i < 5; i++) askFor(request('consume'))
  expect(calls).toEqual(Array.from({ length: 5 }, () => ['key']))
})

test('the requests of one list are sent in one call, however many others are pending', () => {
  const { store, calls } = recorder()
  const { ask: askFor } = asker(pipelineOver(store, { isRequestBound: true }))
  askFor(...Array.from({ length: 100 }, () => request('consume')))
  askFor(...Array.from({ length: 130 }, () => request('consume')))
  expect(calls.map((keys) => keys.length)).toEqual([100, 128, 2])
})

test('each request has a timer of its own, which ends with its answer', async () => {
  const { store, answer } = recorder()
  const { ask: askFor, answered } = asker(pipelineOver(store, { isRequestBound: true }))
  for (let i = 1; i <= 3; i++) {
    askFor(request('consume'))
    expect(vi.getTimerCount()).toBe(i)
  }
  answer()
  expect(vi.getTimerCount()).toBe(2)
  await pass(249)
  expect(answered).toHaveLength(1)
  await pass(1)
  expect(answered).toEqual(['key', ...Array(2).fill('key SLUICE_STORE_TIMEOUT')])
})

test('an unavailable store is tried with a request every 200 ms, and never pinged', async () => {
  const stub = stubStore()
  const store = pipelineOver(stub, { isRequestBound: true })
  stub.fail()
  for (let i = 0; i < 3; i++) await ask(store)
  stub.calls.length = 0
  const answers: string[] = []
  for (let ms = 0; ms < 400; ms += 100) {
    answers.push(await ask(store), await ask(store))
    await pass(100)
  }
  const [failed, unavailable] = ['SLUICE_STORE_FAILED', 'SLUICE_STORE_UNAVAILABLE']
  const each = [failed, unavailable, unavailable, unavailable]
  expect(answers).toEqual([...each, ...each])
  expect([stub.calls.length, stub.pings]).toEqual([2, 0])
  stub.work()
  expect([await ask(store), await ask(store)]).toEqual(['decided', 'decided'])
})

test('while one request tries the store, no other is sent', async () => {
  const stub = stubStore()
  const store = pipelineOver(stub, { isRequestBound: true })
  stub.fail()
  for (let i = 0; i < 3; i++) await ask(store)
  const { promise, resolve } = deferred<void>()
  stub.answer = async (requests) => {
    await promise
    return requests.map(stub.memory.run)
  }
  const tried = ask(store)
  expect(await Promise.all([ask(store), ask(store)])).toEqual(
    Array(2).fill('SLUICE_STORE_UNAVAILABLE'),
  )
  resolve()
  expect(await tried).toBe('decided')
})

/** A client whose calls have no answer until their signal aborts them. */
function silentClient(sent: (signal: AbortSignal | undefined) => void): RedisClient {
  function send(signal: AbortSignal | undefined): Promise<unknown> {
    sent(signal)
    return new Promise((_resolve, reject) => {
      signal?.addEventListener('abort', () => reject(signal.reason))
    })
  }
  return {
    evalSha: (_digest, _keys, _args, signal) => send(signal),
    eval: (_script, _keys, _args, signal) => send(signal),
    isCluster: false,
    isRequestBound: true,
  }
}

test('all that is done for a request is done in its own context', async () => {
  releaseTime()
  const context = new AsyncLocalStorage<number>()
  const sentFor: (number | undefined)[] = []
  const answeredFor: (readonly [id: number, context: number | undefined])[] = []
  const client = silentClient(() => sentFor.push(context.getStore()))
  const submit = submitOf(redisStore(client, { timeout: 50 }))
  const ids = Array.from({ length: 40 }, (_, i) => i)
  function enterEach(): void {
    for (const id of ids) {
      context.run(id, () => {
        const done = () => answeredFor.push([id, context.getStore()])
        submit([new PendingRequest(request('consume'), done)])
      })
    }
  }
  enterEach()
  await expect.poll(() => answeredFor.length).toBe(40)
  // The breaker is open: the first of these tries the store again, and the others fail at once.
  enterEach()
  await expect.poll(() => answeredFor.length).toBe(80)
  expect(sentFor).toEqual([...ids, 0])
  // Timers that end in one millisecond end in any order.
  expect(answeredFor.toSorted(([a], [b]) => a - b)).toEqual(
    ids.flatMap((id) => [
      [id, id],
      [id, id],
    ]),
  )
})

test('a signal tells the client when nobody waits for a call, and a refund is tried for longer', async () => {
  releaseTime()
  const signals: (AbortSignal | undefined)[] = []
  const store = redisStore(
    silentClient((signal) => void signals.push(signal)),
    { timeout: 50 },
  )
  const consumption = request('consume')
  const receipts = [{ row: [0, 1], override: undefined, now: 0 }]
  for (const asked of [
    consumption,
    { ...consumption, verb: 'refundReceipt', cost: 1, receipts } as const,
  ]) {
    const [answer] = await store.run([asked])
    expect(answer).toMatchObject({ code: 'SLUICE_STORE_TIMEOUT' })
  }
  expect(signals.map((signal) => signal?.aborted)).toEqual([true, false])
})
