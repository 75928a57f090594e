import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createLimiter, fixedWindow, gcra, spendAhead } from '../../../src/index.js'
import { deferred, holdTime, pass, pipelineOver, releaseTime, stubStore } from './stub-store.js'

beforeEach(holdTime)
afterEach(releaseTime)

const policies = fixedWindow({ limit: 2, window: '1h' })

test('an answer in the turn in which the deadline passes is in time, and is not refunded', async () => {
  const stub = stubStore()
  const arrives = deferred<undefined>()
  stub.answer = async (requests) => {
    await arrives.promise
    return requests.map(stub.memory.run)
  }
  const limiter = createLimiter({ name: 'api', policies, store: pipelineOver(stub) })
  const decision = limiter.consume('key')
  vi.advanceTimersByTime(250)
  arrives.resolve(undefined)
  expect(await decision).toMatchObject({ allowed: true, remaining: 1, source: 'store' })
  stub.work()
  await pass(0)
  expect((await limiter.peek('key')).remaining).toBe(1)
})

test('units that a late answer took are refunded once, and its request is answered once', async () => {
  const stub = stubStore()
  const arrives = deferred<undefined>()
  const limiter = createLimiter({
    name: 'api',
    policies,
    store: pipelineOver(stub),
    onStoreError: 'deny',
  })
  await limiter.consume('key')
  stub.answer = async (requests) => {
    const answers = requests.map(stub.memory.run)
    await arrives.promise
    return answers
  }
  const decision = limiter.consume('key')
  await pass(250)
  expect(await decision).toMatchObject({ allowed: false, source: 'closed' })
  stub.work()
  expect((await limiter.peek('key')).remaining).toBe(0)
  arrives.resolve(undefined)
  await pass(0)
  await pass(1000)
  expect((await limiter.peek('key')).remaining).toBe(1)
})

test.each([
  ['a window are given back', fixedWindow({ limit: 1_000_000, window: '1h' }), true],
  ['a rate are not given back', gcra({ limit: 1_000_000, window: '1h' }), false],
])('units that a late answer took ahead: those of %s', async (_, policy, isGivenBack) => {
  const stub = stubStore()
  const store = spendAhead(pipelineOver(stub))
  const limiter = createLimiter({ name: 'api', policies: policy, store, onStoreError: 'deny' })
  for (let i = 0; i < 30; i++) {
    await limiter.consume('hot')
    await pass(1)
  }
  const arrives = deferred<undefined>()
  stub.calls.length = 0
  stub.answer = async (requests) => {
    const answers = requests.map(stub.memory.run)
    await arrives.promise
    return answers
  }
  for (let i = 0; i < 2000 && stub.calls.length === 0; i++) {
    void limiter.consume('hot')
    await pass(1)
  }
  expect(stub.calls[0]).toMatchObject([{ verb: 'consume' }])
  await pass(250)
  stub.work()
  arrives.resolve(undefined)
  await pass(100)
  const verbs = stub.calls.flat().map(({ verb }) => verb)
  expect(verbs.includes('refundReceipt')).toBe(isGivenBack)
})
