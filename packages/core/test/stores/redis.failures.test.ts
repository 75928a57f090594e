import { randomUUID } from 'node:crypto'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { setTimeout as delay } from 'node:timers/promises'
import {
  createLimiter,
  fixedWindow,
  redisStore,
  slidingLog,
  SluiceError,
  type Decision,
  type Policy,
  type RedisClient,
  type RedisStoreOptions,
  type SupportedClient,
} from '@sluice/core'
import { useRedis } from '@sluice/test-kit/redis'
import { describe, expect, onTestFinished, test, vi } from 'vitest'

const policies = fixedWindow({ limit: 10, window: '1h' })

// The requests about one key of the first share a read and a write. Those of the other do not, because each of them reads its records.
const withAndWithoutRecords = [
  ['a fixed window', policies],
  ['a log', slidingLog({ limit: 10, window: '1h' })],
] as const

const server = useRedis()

describe('a call that takes longer than its deadline', () => {
  test.each(withAndWithoutRecords)(
    'fails in time, and takes no units when it arrives: %s',
    async (_, policy) => {
      const limiter = limiterOn(server.client(), { timeout: 50 }, undefined, policy)
      await untilAnswered(() => limiter.consume('key'))
      const { remaining } = await untilAnswered(() => limiter.peek('key'))
      await paused(async () => {
        let isAnswering = false
        const answering = server.connection.ping().then(() => (isAnswering = true))
        const decisions = [1, 2, 3].map((cost) => limiter.consume('key', { cost }))
        const penalties = Promise.allSettled(
          [1, 2, 3].map((units) => limiter.penalize('key', units)),
        )
        expect((await Promise.all(decisions)).map(({ source }) => source)).toEqual(
          Array(3).fill('closed'),
        )
        expect((await penalties).map(errorCode)).toEqual(Array(3).fill('SLUICE_STORE_TIMEOUT'))
        expect(isAnswering).toBe(false)
        await delay(longerThanErrorMs)
        process.kill(server.pid, 'SIGCONT')
        await answering
      })
      // The client may send a call without an effect again. It then arrives before the second of these calls.
      await untilAnswered(() => limiter.peek('key'))
      expect((await untilAnswered(() => limiter.peek('key'))).remaining).toBe(remaining)
    },
  )

  test('consumes nothing even as the first call of its process', async () => {
    const client = server.client()
    await client.ping()
    const limiter = limiterOn(client, { timeout: 50 })
    await paused(async () => {
      expect((await limiter.consume('key')).source).toBe('closed')
    })
    await untilAnswered(() => limiter.peek('key'))
    expect((await untilAnswered(() => limiter.peek('key'))).remaining).toBe(10)
  })

  test('does not affect later calls', async () => {
    const limiter = limiterOn(server.client(), { timeout: 50 })
    await untilAnswered(() => limiter.peek('key'))
    await paused(async () => {
      expect((await limiter.consume('key')).source).toBe('closed')
    })
    await untilAnswered(() => limiter.peek('key'))
    expect((await untilAnswered(() => limiter.consume('key'))).remaining).toBe(9)
  })
})

describe('a key of another type', () => {
  test('fails its own request and no other, with the reason', async () => {
    const limiter = limiterOn(server.client(), { timeout: '10s' }, 'types')
    await server.connection.lpush('sluice:types:1{taken}', 'a list')
    const decisions = ['before', 'taken', 'after'].map((key) => limiter.consume(key))
    expect((await Promise.all(decisions)).map(({ source }) => source)).toEqual([
      'store',
      'closed',
      'store',
    ])
    await expect(limiter.penalize('taken', 1)).rejects.toMatchObject({
      code: 'SLUICE_STORE_FAILED',
      message: expect.stringContaining('WRONGTYPE'),
    })
    expect(await server.connection.lrange('sluice:types:1{taken}', 0, -1)).toEqual(['a list'])
  })

  test('does not open the breaker for other keys, however often it is requested', async () => {
    const limiter = limiterOn(server.client(), { timeout: '10s' }, 'often')
    await server.connection.lpush('sluice:often:1{taken}', 'a list')
    const sources: string[] = []
    for (let i = 0; i < 5; i++) sources.push((await limiter.consume('taken')).source)
    expect(sources).toEqual(Array(5).fill('closed'))
    expect((await limiter.consume('other')).source).toBe('store')
  })

  test('fails only its own request in a call of several', async () => {
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
    await server.connection.del('sluice:several:1{taken}')
    await server.connection.lpush('sluice:several:1{taken}', 'a list')
    const answers = await redis.run(requests)
    expect(
      answers.map((answer) => (answer instanceof SluiceError ? answer.code : 'decided')),
    ).toEqual(['decided', 'SLUICE_STORE_FAILED', 'decided'])
    expect((await limiter.peek('two')).remaining).toBe(8)
  })
})

test('a field whose size is not that of a row is never read as a count', async () => {
  const limiter = limiterOn(server.client(), { timeout: '10s' }, 'bytes')
  const name = `sluice:bytes:1{key}`
  for (const bytes of ['', 'x', '\0', '\0\u0001', '0', '{"count":3}', 'x'.repeat(100)]) {
    await server.connection.hset(name, ':1', bytes)
    const { source, remaining } = await limiter.consume('key')
    expect([source, remaining]).toEqual(['store', 9])
  }
  expect(await server.connection.hlen(name)).toBe(1)
})

test('a key has a count under each of any number of policy names', async () => {
  const limiter = limiterOn(server.client(), { timeout: '10s' }, 'names')
  const plans = Array.from({ length: 300 }, (_, i) => ({ [`client ${i}`]: policies }))
  for (const expected of [9, 8]) {
    const decisions = await Promise.all(
      plans.map((plan) => limiter.consume('key', { policies: plan })),
    )
    expect(decisions.map(({ source, remaining }) => [source, remaining])).toEqual(
      plans.map(() => ['store', expected]),
    )
  }
  expect(await server.connection.hlen('sluice:names:1{key}')).toBe(300)
})

describe('a Redis that answers every request with an error', () => {
  test('opens the breaker, and a ping is false, until it decides again', async () => {
    const user = randomUUID()
    const rights = ['~*', '+evalsha', '+eval', '+time', '+set', '+ping', '+info']
    await server.connection.acl('SETUSER', user, 'on', '>secret', ...rights)
    const client = server.client({ username: user, password: 'secret' })
    const limiter = limiterOn(client, { timeout: '10s' })
    const opened: unknown[] = []
    const listen = (event: unknown): void => void opened.push(event)
    subscribe('sluice:breaker', listen)
    onTestFinished(() => void unsubscribe('sluice:breaker', listen))

    const codes: unknown[] = []
    const penalize = async (key: string) =>
      codes.push(errorCode((await Promise.allSettled([limiter.penalize(key, 1)]))[0]))
    for (const key of ['a', 'b', 'c']) await penalize(key)
    // The third refusal makes the store peek at the refused key, which is refused as well.
    await vi.waitUntil(() => opened.length > 0)
    await penalize('d')
    expect(codes).toEqual([...Array(3).fill('SLUICE_STORE_FAILED'), 'SLUICE_STORE_UNAVAILABLE'])
    expect(opened).toMatchObject([{ state: 'open', error: { code: 'SLUICE_STORE_FAILED' } }])
    expect(await limiter.ping()).toBe(false)

    await server.connection.acl('SETUSER', user, '+hmget', '+hset', '+pexpire')
    await untilAnswered(() => limiter.consume('a'))
    expect(await limiter.ping()).toBe(true)
  })

  test('stays in use if it refuses only writes: denied keys stay denied', async () => {
    const user = randomUUID()
    const rights = ['~*', '+evalsha', '+eval', '+time', '+hmget', '+hset', '+pexpire', '+info']
    await server.connection.acl('SETUSER', user, 'on', '>secret', ...rights)
    const client = server.client({ username: user, password: 'secret' })
    const limiter = limiterOn(client, { timeout: '10s' })
    await limiter.consume('spent', { cost: 10 })
    await server.connection.acl('SETUSER', user, '-hset')
    const sources: string[] = []
    for (let i = 0; i < 10; i++) {
      sources.push((await limiter.consume(`${i}`)).source)
      await delay(50)
    }
    expect(sources).toEqual(Array(10).fill('closed'))
    expect(await limiter.consume('spent')).toMatchObject({ allowed: false, source: 'store' })
    expect(await limiter.ping()).toBe(true)
  })

  test('opens the breaker if its replies cannot be read', async () => {
    const nonsense: RedisClient = {
      isCluster: false,
      evalSha: async () => ['OK'],
      eval: async () => ['OK'],
    }
    const limiter = limiterOn(nonsense)
    const codes: unknown[] = []
    for (let i = 0; i < 4; i++) {
      codes.push(errorCode((await Promise.allSettled([limiter.penalize('key', 1)]))[0]))
    }
    expect(codes).toEqual([...Array(3).fill('SLUICE_STORE_FAILED'), 'SLUICE_STORE_UNAVAILABLE'])
    expect(await limiter.ping()).toBe(false)
  })
})

describe('a client that fails', () => {
  test('receives no request twice if the script may have run: a request whose reply is lost counts once', async () => {
    const client = server.client()
    const losing: RedisClient = {
      isCluster: false,
      async evalSha(digest, keys, args) {
        await client.evalsha(digest, keys.length, ...keys, ...args)
        throw new Error('ECONNRESET the reply was lost')
      },
      async eval(script, keys, args) {
        await client.eval(script, keys.length, ...keys, ...args)
        throw new Error('ECONNRESET the reply was lost')
      },
    }
    const name = randomUUID()
    const limiter = limiterOn(client, { timeout: '10s' }, name)
    await limiter.consume('key')
    const unlucky = limiterOn(losing, { timeout: '10s' }, name)
    expect((await unlucky.consume('key')).source).toBe('closed')
    expect((await limiter.peek('key')).remaining).toBe(8)
    await expect(unlucky.penalize('key', 3)).rejects.toMatchObject({ code: 'SLUICE_STORE_FAILED' })
    expect((await limiter.peek('key')).remaining).toBe(5)
  })

  test('fails the call with its error as the cause', async () => {
    const client = server.client({ maxRetriesPerRequest: 0, enableOfflineQueue: false })
    await client.ping().catch(() => {})
    client.disconnect()
    await expect(limiterOn(client).penalize('key', 1)).rejects.toMatchObject({
      code: 'SLUICE_STORE_FAILED',
      cause: expect.any(Error),
    })
  })
})

describe('a store that was closed', () => {
  test('accepts no requests, and does not close the connection', async () => {
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

/** The estimate of the server's clock is wrong by at most the time of the slowest reply, and a call may arrive so much later than its deadline. */
const longerThanErrorMs = 2000

async function paused(meanwhile: () => Promise<void>): Promise<void> {
  process.kill(server.pid, 'SIGSTOP')
  try {
    await meanwhile()
    await delay(longerThanErrorMs)
  } finally {
    process.kill(server.pid, 'SIGCONT')
  }
  await server.connection.ping()
}

/** A limiter that never decides without its store: it denies if the store fails. */
function limiterOn(
  client: SupportedClient,
  options: RedisStoreOptions = {},
  name: string = randomUUID(),
  policy: Policy = policies,
) {
  const store = redisStore(client, options)
  return createLimiter({ name, policies: policy, store, onStoreError: 'deny' })
}

/** Repeats a call until the store decides, because a busy machine can miss the short deadline. A failed call has taken no units. */
async function untilAnswered(ask: () => Promise<Decision>): Promise<Decision> {
  for (;;) {
    const decision = await ask()
    if (decision.source === 'store') return decision
    await delay(5)
  }
}

function errorCode(outcome: PromiseSettledResult<unknown>): string | undefined {
  if (outcome.status === 'fulfilled') return undefined
  return outcome.reason instanceof SluiceError ? outcome.reason.code : String(outcome.reason)
}
