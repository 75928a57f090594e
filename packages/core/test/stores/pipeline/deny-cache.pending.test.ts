import { afterEach, beforeEach, expect, test } from 'vitest'
import { createLimiter, fixedWindow } from '../../../src/index.js'
import { deferred, holdTime, pass, pipelineOver, releaseTime, stubStore } from './stub-store.js'

beforeEach(holdTime)
afterEach(releaseTime)

test('while a refund of a key is pending, a denied request for the key is sent to the store', async () => {
  const stub = stubStore()
  const policies = fixedWindow({ limit: 1, window: '1h' })
  const limiter = createLimiter({ name: 'api', policies, store: pipelineOver(stub) })
  const taken = await limiter.consume('key')
  expect((await limiter.consume('key')).source).toBe('store')
  expect((await limiter.consume('key')).source).toBe('local')
  const arrives = deferred<undefined>()
  stub.answer = async (requests) => {
    // The store has refunded it, but its answer has not arrived.
    const answers = requests.map(stub.memory.run)
    await arrives.promise
    return answers
  }
  const given = limiter.refund(taken)
  stub.work()
  expect(await limiter.consume('key')).toMatchObject({ allowed: true, source: 'store' })
  arrives.resolve(undefined)
  await pass(0)
  expect(await given).toBe(true)
})
