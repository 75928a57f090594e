import { once } from 'node:events'
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { fixedWindow, SluiceError } from '../../../src/index.js'
import type { Answer, StoreRequest } from '../../../src/stores/store.js'
import { asker, recorder } from '../queue/held-store.js'
import {
  asking,
  deferred,
  failure,
  holdTime,
  pass,
  pipelineOver,
  releaseTime,
  stubStore,
} from './stub-store.js'

const request = asking(fixedWindow({ limit: 2, window: '1h' }))

function codesOf(answers: readonly Answer[]): string[] {
  return answers.map((answer) => (answer instanceof SluiceError ? answer.code : 'decided'))
}

describe('with fake timers', () => {
  beforeEach(holdTime)
  afterEach(releaseTime)

  test('an answer in time is returned unchanged, and no timer is set again', async () => {
    const stub = stubStore()
    const given = [failure('one'), failure('another')]
    stub.answer = async () => given
    const answers = await pipelineOver(stub).run([request('peek'), request('peek')])
    expect(answers).toEqual(given)
    await pass(250)
    expect(vi.getTimerCount()).toBe(0)
  })

  test('each of several calls has its own deadline', async () => {
    const { store, calls, answer } = recorder()
    const { ask, answered } = asker(pipelineOver(store))
    for (let i = 0; i < 3; i++) {
      ask(request('consume'))
      await pass(100)
    }
    expect([calls.length, answered.length]).toEqual([3, 1])
    answer()
    await pass(149)
    expect(answered.length).toBe(2)
    await pass(51)
    expect(answered.length).toBe(3)
  })

  test('no answer in time fails each request of the call, in the millisecond of the deadline', async () => {
    const stub = stubStore()
    stub.answer = () => new Promise(() => {})
    let answers: readonly Answer[] | undefined
    void pipelineOver(stub)
      .run([request('consume'), request('peek')])
      .then((late) => (answers = late))
    await pass(249)
    expect(answers).toBe(undefined)
    await pass(1)
    expect(codesOf(answers ?? [])).toEqual(['SLUICE_STORE_TIMEOUT', 'SLUICE_STORE_TIMEOUT'])
    expect(answers?.[0]).toMatchObject({
      message: expect.stringContaining('the stub store did not answer within 250 ms'),
    })
  })

  test('units that a late answer took are refunded, and nothing else', async () => {
    const stub = stubStore()
    const late = deferred<void>()
    const given = new Map<StoreRequest, Answer>()
    const asked = [
      request('consume'),
      request('consume', { keys: ['other'], cost: 3 }),
      request('peek', { keys: ['third'] }),
      request('penalize', { keys: ['fourth'] }),
      request('consume', { keys: ['fifth'], cost: 2 }),
    ]
    stub.answer = async (requests) => {
      await late.promise
      return requests.map((each) => given.get(each) ?? failure('the last'))
    }
    const answers = pipelineOver(stub).run(asked)
    await pass(250)
    expect(codesOf(await answers)).toEqual(Array(5).fill('SLUICE_STORE_TIMEOUT'))
    expect(stub.calls).toHaveLength(2)
    stub.work()
    const results = asked.map(stub.memory.run)
    for (let i = 0; i < 4; i++) given.set(asked[i], results[i])
    late.resolve()
    await pass(0)
    const [result] = results
    expect(stub.calls.slice(2)).toEqual([
      [{ ...asked[0], verb: 'refundReceipt', receipts: 'states' in result ? result.states : [] }],
    ])
    const used = ['key', 'fourth'].map((key) => stub.memory.run(request('peek', { keys: [key] })))
    expect(used.map((left) => 'states' in left && left.states[0].row[1])).toEqual([0, 1])
  })

  test('a late answer about an exempt key took no units, so there is nothing to refund', async () => {
    const stub = stubStore()
    const late = deferred<void>()
    stub.memory.run(request('exempt'))
    stub.answer = async (requests) => {
      const answers = requests.map(stub.memory.run)
      await late.promise
      return answers
    }
    const answers = pipelineOver(stub).run([request('consume')])
    await pass(250)
    expect(codesOf(await answers)).toEqual(['SLUICE_STORE_TIMEOUT'])
    late.resolve()
    await pass(0)
    expect(stub.calls).toHaveLength(1)
  })

  test('a late failure refunds nothing', async () => {
    const stub = stubStore()
    const late = deferred<readonly Answer[]>()
    stub.answer = () => late.promise
    const answers = pipelineOver(stub).run([request('consume')])
    await pass(250)
    late.resolve([failure('late')])
    await pass(0)
    expect(codesOf(await answers)).toEqual(['SLUICE_STORE_TIMEOUT'])
    expect(stub.calls).toHaveLength(1)
  })

  test('units of an answer in time are never refunded', async () => {
    const stub = stubStore()
    expect(codesOf(await pipelineOver(stub).run([request('consume')]))).toEqual(['decided'])
    await pass(1000)
    expect(stub.calls).toHaveLength(1)
  })

  test('a ping that is not answered in time is false', async () => {
    const stub = stubStore()
    const store = pipelineOver(stub)
    expect(await store.ping()).toBe(true)
    stub.isThere = () => new Promise(() => {})
    const answers: boolean[] = []
    void store.ping().then((answer) => answers.push(answer))
    await pass(249)
    expect(answers).toEqual([])
    await pass(1)
    expect(answers).toEqual([false])
  })

  test('close closes the store', async () => {
    const stub = stubStore()
    await pipelineOver(stub).close()
    expect(stub.isClosed).toBe(true)
  })
})

test('an answer that arrived while the process was busy is not late', async () => {
  const stub = stubStore()
  const { port1: client, port2: server } = new MessageChannel()
  onTestFinished(() => client.close())
  stub.answer = async (requests) => {
    const reply = once(client, 'message')
    server.postMessage('reply', [])
    await reply
    return requests.map(stub.memory.run)
  }
  const answers = pipelineOver(stub, { timeoutMs: 20 }).run([request('consume')])
  const busyUntil = performance.now() + 80
  while (performance.now() < busyUntil);
  expect(codesOf(await answers)).toEqual(['decided'])
  expect(stub.calls).toHaveLength(1)
})

test('a call keeps the process alive until it is answered', () => {
  const timers = () =>
    process.getActiveResourcesInfo().filter((resource) => resource === 'Timeout').length
  const before = timers()
  const { store, answer } = recorder()
  const { ask } = asker(pipelineOver(store, { timeoutMs: 5000 }))
  for (let i = 0; i < 2; i++) {
    ask(request('consume'))
    expect(timers()).toBe(before + 1)
    answer()
    expect(timers()).toBe(before)
  }
})
