import { randomUUID } from 'node:crypto'
import { createLimiter, fixedWindow, redisStore, SluiceError, type RedisClient } from '@sluice/core'
import { startRedis, type RedisServer } from '@sluice/conformance'
import type { Redis } from 'ioredis'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

const policies = fixedWindow({ limit: 10, window: '1h' })
const timeout = { code: 'SLUICE_STORE_TIMEOUT' }

let server: RedisServer
let admin: Redis
beforeAll(async () => {
  server = await startRedis()
  admin = server.client()
})
afterAll(() => server.stop())

describe('a call that takes longer than its deadline', () => {
  test('fails in time, and consumes nothing when it arrives', async () => {
    const store = redisStore(server.client(), { timeout: 50 })
    const limiter = createLimiter({ name: randomUUID(), policies, store })
    await untilAnswered(() => limiter.consume('key'))
    const { remaining } = await untilAnswered(() => limiter.peek('key'))
    await paused(300, async () => {
      let isAnswering = false
      const answering = admin.ping().then(() => (isAnswering = true))
      const calls = [1, 2, 3].map((cost) => limiter.consume('key', { cost }))
      const failures = await Promise.allSettled(calls)
      expect(failures.map(errorCode)).toEqual(Array(3).fill(timeout.code))
      expect(isAnswering).toBe(false)
      await answering
    })
    // A void call may be asked once more; that one stands in the queue before the second of these.
    await untilAnswered(() => limiter.peek('key'))
    expect((await untilAnswered(() => limiter.peek('key'))).remaining).toBe(remaining)
  })

  test('consumes nothing even as the first call of its process', async () => {
    const client = server.client()
    await client.ping()
    const store = redisStore(client, { timeout: 50 })
    const limiter = createLimiter({ name: randomUUID(), policies, store })
    await paused(300, async () => {
      await expect(limiter.consume('key')).rejects.toMatchObject(timeout)
    })
    await untilAnswered(() => limiter.peek('key'))
    expect((await untilAnswered(() => limiter.peek('key'))).remaining).toBe(10)
  })

  test('spoils none that comes after it', async () => {
    const store = redisStore(server.client(), { timeout: 50 })
    const limiter = createLimiter({ name: randomUUID(), policies, store })
    await untilAnswered(() => limiter.peek('key'))
    await paused(200, async () => {
      await expect(limiter.consume('key')).rejects.toMatchObject(timeout)
    })
    await untilAnswered(() => limiter.peek('key'))
    expect((await untilAnswered(() => limiter.consume('key'))).remaining).toBe(9)
  })
})

describe('a key that holds something else', () => {
  test('fails its own request and no other, and says why', async () => {
    const store = redisStore(server.client(), { timeout: '10s' })
    const limiter = createLimiter({ name: 'types', policies, store })
    await admin.lpush('sluice:types:{taken}', 'a list')
    const calls = ['before', 'taken', 'after'].map((key) => limiter.consume(key))
    const [before, taken, after] = await Promise.allSettled(calls)
    expect([before.status, errorCode(taken), after.status]).toEqual([
      'fulfilled',
      'SLUICE_STORE_FAILED',
      'fulfilled',
    ])
    expect(taken).toMatchObject({ reason: { message: expect.stringContaining('WRONGTYPE') } })
    expect(await admin.lrange('sluice:types:{taken}', 0, -1)).toEqual(['a list'])
  })

  test('fails its own request and no other in one call of several', async () => {
    const redis = redisStore(server.client(), { timeout: '10s' })
    const requests: Parameters<typeof redis.run>[0][number][] = []
    const store: typeof redis = {
      ...redis,
      run(asked) {
        requests.push(...asked)
        return redis.run(asked)
      },
    }
    const limiter = createLimiter({ name: 'several', policies, store })
    for (const key of ['one', 'taken', 'two']) await limiter.consume(key)
    await admin.del('sluice:several:{taken}')
    await admin.lpush('sluice:several:{taken}', 'a list')
    const answers = await redis.run(requests)
    expect(
      answers.map((answer) => (answer instanceof SluiceError ? answer.code : 'decided')),
    ).toEqual(['decided', 'SLUICE_STORE_FAILED', 'decided'])
    expect((await limiter.peek('two')).remaining).toBe(8)
  })

  test('is never mistaken for a count: bytes that are none read as absent, or fail', async () => {
    const store = redisStore(server.client(), { timeout: '10s' })
    const limiter = createLimiter({ name: 'bytes', policies, store })
    for (const [i, bytes] of ['', 'x', '\0', '\0\u0001', '0', '{"count":3}'].entries()) {
      await admin.set(`sluice:bytes:{${i}}`, bytes, 'PX', 60_000)
      const [outcome] = await Promise.allSettled([limiter.consume(`${i}`)])
      const answer = outcome.status === 'fulfilled' ? outcome.value.remaining : errorCode(outcome)
      expect([9, 'SLUICE_STORE_FAILED']).toContain(answer)
    }
  })
})

describe('a client that fails', () => {
  test('is not asked again where the script may have run: a request whose reply is lost counts once', async () => {
    const client = server.client()
    const losing: RedisClient = {
      isCluster: false,
      async evalSha(digest, keys, args) {
        await client.evalsha(digest, keys.length, ...keys, ...args)
        throw new Error('ECONNRESET the reply was lost')
      },
      eval: (script, keys, args) => client.eval(script, keys.length, ...keys, ...args),
    }
    const name = randomUUID()
    const limiter = createLimiter({ name, policies, store: redisStore(client, { timeout: '10s' }) })
    await limiter.consume('key')
    const unlucky = createLimiter({ name, policies, store: redisStore(losing, { timeout: '10s' }) })
    await expect(unlucky.consume('key')).rejects.toMatchObject({ code: 'SLUICE_STORE_FAILED' })
    expect((await limiter.peek('key')).remaining).toBe(8)
  })

  test('fails the call with its own error as the cause', async () => {
    const client = server.client({ maxRetriesPerRequest: 0, enableOfflineQueue: false })
    await client.ping().catch(() => {})
    client.disconnect()
    const limiter = createLimiter({ name: 'gone', policies, store: redisStore(client) })
    await expect(limiter.consume('key')).rejects.toMatchObject({
      code: 'SLUICE_STORE_FAILED',
      cause: expect.any(Error),
    })
  })
})

describe('a store that was closed', () => {
  test('takes no more requests, and leaves the connection to its owner', async () => {
    const client = server.client()
    const store = redisStore(client)
    const limiter = createLimiter({ name: 'closed', policies, store })
    await store.close()
    await expect(limiter.consume('key')).rejects.toMatchObject({ code: 'SLUICE_STORE_CLOSED' })
    expect(await client.ping()).toBe('PONG')
  })

  test('is not closed by a limiter that did not open it', async () => {
    const store = redisStore(server.client(), { timeout: '10s' })
    const limiter = createLimiter({ name: 'shared', policies, store })
    await limiter.close()
    expect((await limiter.consume('key')).allowed).toBe(true)
  })
})

/** Holds up every command for so long, and returns when commands are answered again. */
async function paused(ms: number, meanwhile: () => Promise<void>): Promise<void> {
  await admin.client('PAUSE', ms, 'ALL')
  await meanwhile()
  await admin.ping()
}

/** Asks again where a busy machine has missed the short deadline: a peek may, and a consume until the first has counted. */
async function untilAnswered<T>(ask: () => Promise<T>): Promise<T> {
  for (;;) {
    const [outcome] = await Promise.allSettled([ask()])
    if (outcome.status === 'fulfilled') return outcome.value
    if (errorCode(outcome) !== timeout.code) throw outcome.reason
  }
}

function errorCode(outcome: PromiseSettledResult<unknown>): string | undefined {
  if (outcome.status === 'fulfilled') return undefined
  return outcome.reason instanceof SluiceError ? outcome.reason.code : String(outcome.reason)
}
