import { createLimiter, fixedWindow, redisStore, restClient } from '@sluice/core'
import { limitedFetch } from '@sluice/client'
import { rateLimit } from '@sluice/fetch'
import { useRedis, useRest } from '@sluice/test-kit/redis'
import { beforeEach, expect, test, vi } from 'vitest'

/**
 * Cloudflare Workers refuse to call a global function as a method of another object. Set before the packages are loaded, which keep some of them. The `stubGlobal`
 * of Vitest is not possible here, as it would be called after the imports.
 */
const illegal = vi.hoisted(() => {
  const names = ['setTimeout', 'setImmediate', 'clearTimeout', 'queueMicrotask', 'fetch'] as const
  const found: string[] = []
  for (const name of names) {
    const original: unknown = Reflect.get(globalThis, name)
    if (typeof original !== 'function') throw new Error(`no ${name}`)
    const strict = function strict(this: unknown, ...args: unknown[]): unknown {
      if (this !== undefined && this !== globalThis) {
        found.push(name)
        throw new TypeError('Illegal invocation')
      }
      return Reflect.apply(original, globalThis, args)
    }
    Object.defineProperties(strict, Object.getOwnPropertyDescriptors(original))
    Reflect.set(globalThis, name, strict)
  }
  return found
})

const redis = useRedis()
const rest = useRest(redis)

beforeEach(() => {
  rest().answer = undefined
})

const policies = fixedWindow({ limit: 1, window: '1m' })
const clientOf = (): ReturnType<typeof restClient> =>
  restClient({ url: rest().url, token: rest().token })

test('the test notices a global function that is called as a method', () => {
  const timers = { later: setTimeout }
  expect(() => timers.later(() => {}, 0)).toThrow('Illegal invocation')
  expect(illegal.splice(0)).toEqual(['setTimeout'])
})

test('no global function is called as a method: a remembered denial, an open breaker, a timeout', async () => {
  const store = redisStore(clientOf(), { timeout: '2s' })
  const limiter = createLimiter({ name: 'strict', policies, store, onStoreError: 'deny' })
  const sources = []
  for (let i = 0; i < 3; i++) sources.push((await limiter.consume('key')).allowed)
  expect(sources).toEqual([true, false, false])

  const impatient = redisStore(clientOf(), { timeout: '50ms' })
  const failing = createLimiter({ name: 'late', policies, store: impatient, onStoreError: 'deny' })
  rest().answer = () => {}
  for (let i = 0; i < 15; i++) {
    expect((await failing.consume(`key ${i}`)).source).toBe('closed')
  }
  expect(illegal).toEqual([])
})

test('no global function is called as a method by a limit of requests, nor by limitedFetch', async () => {
  const store = redisStore(clientOf(), { timeout: '2s' })
  const limit = rateLimit({ name: 'web', policies, store, key: 'all', count: 'failures' })
  const statuses = []
  for (let i = 0; i < 3; i++) {
    const response = await limit.run(
      new Request('http://host/'),
      () => new Response('x', { status: 500 }),
    )
    statuses.push(response.status)
  }
  expect(statuses).toEqual([500, 429, 429])

  const calls = limitedFetch(
    createLimiter({ name: 'calls', policies: fixedWindow({ limit: 1, window: '50ms' }) }),
    { maxWait: '5s' },
  )
  const headers = { authorization: `Bearer ${rest().token}` }
  const init = { method: 'POST', headers, body: '["PING"]' }
  const answers = [await calls(rest().url, init), await calls(rest().url, init)]
  expect(answers.map(({ status }) => status)).toEqual([200, 200])
  expect(illegal).toEqual([])
})
