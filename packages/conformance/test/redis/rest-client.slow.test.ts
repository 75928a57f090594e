import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import {
  createLimiter,
  fixedWindow,
  redisStore,
  restClient,
  type AsyncStore,
  type Limiter,
  type RedisStoreOptions,
} from '@sluice/core'
import { compareStores, scenarios } from '@sluice/conformance'
import { patienceMs, runs } from '@sluice/test-kit/random'
import { startRestServer, useRedis, useRest } from '@sluice/test-kit/redis'
import fc from 'fast-check'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'

const redis = useRedis()
const rest = useRest(redis)

beforeEach(() => {
  rest().answer = undefined
  rest().commands.length = 0
})

function storeOver(options: RedisStoreOptions = {}): AsyncStore {
  const { url, token } = rest()
  return redisStore(restClient({ url, token }), options)
}

/** A limiter, by default with counters of its own. Only Redis can allow a request. */
function limiterOver(store: AsyncStore, name: string = randomUUID()): Limiter<AsyncStore> {
  const policies = fixedWindow({ limit: 25, window: '1h' })
  return createLimiter({ name, policies, store, onStoreError: 'deny' })
}

/** A limiter whose script is in Redis. */
async function warmLimiter(options: RedisStoreOptions = {}): Promise<Limiter<AsyncStore>> {
  const limiter = limiterOver(storeOver(options))
  // A short timeout can be over before the first answer.
  await expect.poll(async () => (await limiter.peek('warm')).source).toBe('store')
  rest().commands.length = 0
  return limiter
}

/** Two limiters of the same counters, whose script is in Redis. The calls of the first time out. */
async function warmLimiters(timeout: string) {
  const name = randomUUID()
  const [hasty, patient] = [timeout, '10s'].map((each) =>
    limiterOver(storeOver({ timeout: each }), name),
  )
  await patient.peek('warm')
  rest().commands.length = 0
  return { hasty, patient }
}

test(
  'the same traffic of all verbs gives the same answers over memory and over HTTP, in every field',
  async () => {
    const store = storeOver({ timeout: '10s' })
    await fc.assert(
      fc.asyncProperty(scenarios(40), async (scenario) => {
        expect(await compareStores(scenario, store)).toBeUndefined()
      }),
      { numRuns: runs(60) },
    )
  },
  patienceMs,
)

test('of 40 parallel requests as many are allowed as the limit says, each by one call of its own', async () => {
  const limiter = await warmLimiter({ timeout: '10s' })
  const decisions = await Promise.all(Array.from({ length: 40 }, () => limiter.consume('key')))
  expect(decisions.filter(({ allowed }) => allowed)).toHaveLength(25)
  expect(new Set(decisions.map(({ source }) => source))).toEqual(new Set(['store']))
  expect(rest().commands).toEqual(Array(40).fill('EVALSHA'))
})

test('parallel requests with which a process begins are counted once each', async () => {
  const limiter = limiterOver(storeOver({ timeout: '10s' }))
  await redis.connection.script('FLUSH')
  await Promise.all(Array.from({ length: 20 }, () => limiter.consume('key')))
  expect((await limiter.peek('key')).remaining).toBe(5)
})

test('the requests of one consumeMany are sent in one call', async () => {
  const limiter = await warmLimiter({ timeout: '10s' })
  const keys = Array.from({ length: 40 }, (_, i) => ({ key: `many ${i}` }))
  expect((await limiter.consumeMany(keys)).every(({ remaining }) => remaining === 24)).toBe(true)
  expect(rest().commands).toHaveLength(1)
})

test('a script that Redis has lost is sent again', async () => {
  const limiter = await warmLimiter({ timeout: '10s' })
  await redis.connection.script('FLUSH')
  expect((await limiter.consume('key')).remaining).toBe(24)
  expect(rest().commands).toEqual(['EVALSHA', 'EVAL'])
})

test('keys and names of any characters are counted apart', async () => {
  const limiter = await warmLimiter({ timeout: '10s' })
  const keys = ['é', 'e\u0301', '\u{1f600}', '\ud800', '\udfff', '\0', '"\\', '{}', '\u2028']
  for (const key of keys) expect((await limiter.consume(key)).remaining).toBe(24)
  for (const key of keys) expect((await limiter.peek(key)).remaining).toBe(24)
})

describe('a slow service', () => {
  test('is not waited for longer than the timeout, which closes the call, and a call that arrives later takes nothing', async () => {
    const { hasty, patient } = await warmLimiters('100ms')
    let hasArrived = false
    rest().answer = async (response, forward) => {
      await once(response, 'close')
      await forward()
      hasArrived = true
    }
    const decision = await hasty.consume('key')
    expect([decision.allowed, decision.source]).toEqual([false, 'closed'])
    await expect.poll(() => hasArrived).toBe(true)
    rest().answer = undefined
    expect((await patient.peek('key')).remaining).toBe(25)
    expect(rest().commands).toEqual(['EVAL', 'EVALSHA'])
  })

  test('whose reply is late has counted the request at most once', async () => {
    const { hasty, patient } = await warmLimiters('1s')
    rest().answer = async (response, forward) => {
      // Redis counts the request before its deadline, and the reply is written after it.
      await Promise.all([forward(), once(response, 'close')])
    }
    expect((await hasty.consume('key')).source).toBe('closed')
    rest().answer = undefined
    expect((await patient.peek('key')).remaining).toBe(24)
  })

  test('reports each deadline of parallel requests as SLUICE_STORE_TIMEOUT', async () => {
    const limiter = await warmLimiter({ timeout: '100ms' })
    rest().answer = () => {}
    const penalties = Array.from({ length: 10 }, () => limiter.penalize('key', 1))
    const codes = (await Promise.allSettled(penalties)).map((each) =>
      each.status === 'rejected' ? each.reason.code : undefined,
    )
    expect(codes).toEqual(Array(10).fill('SLUICE_STORE_TIMEOUT'))
  })
})

test('an unavailable service is tried with a request every 200 ms, and decides again as soon as it answers', async () => {
  const service = await startRestServer(redis.connection)
  const port = Number(new URL(service.url).port)
  const client = restClient({ url: service.url, token: service.token })
  const limiter = limiterOver(redisStore(client, { timeout: '10s' }))
  expect((await limiter.consume('key')).source).toBe('store')
  await service.stop()
  await delay(260)
  for (let i = 0; i < 3; i++) expect((await limiter.consume('key')).source).toBe('closed')
  const again = await startRestServer(redis.connection, port)
  onTestFinished(() => again.stop())
  again.answer = (response) => void response.destroy()
  const started = performance.now()
  for (let i = 0; i < 60; i++) {
    expect((await limiter.consume('key')).source).toBe('closed')
    await delay(10)
  }
  const most = 1 + (performance.now() - started) / 200
  expect(again.commands.length >= 2 && again.commands.length <= most).toBe(true)
  again.answer = undefined
  await delay(200)
  expect((await limiter.consume('key')).source).toBe('store')
})

test('each ping is a call of its own', async () => {
  const limiter = await warmLimiter({ timeout: '100ms' })
  rest().answer = () => {}
  const pings = [limiter.ping(), limiter.ping(), limiter.ping()]
  expect(await Promise.all(pings)).toEqual([false, false, false])
  expect(rest().commands).toHaveLength(3)
  rest().answer = undefined
  await expect.poll(async () => limiter.ping()).toBe(true)
})

describe('a call that the service does not answer with a reply of Redis fails, and is not sent again', () => {
  const html = '<!doctype html><title>Bad gateway</title>'

  function replying(status: number, body: string): (response: ServerResponse) => void {
    return (response) => void response.writeHead(status).end(body)
  }

  test.each<[string, (response: ServerResponse) => void, string]>([
    ['401', replying(401, '{"error":"WRONGPASS"}'), 'check that the "token" of restClient'],
    ['404', replying(404, 'not found'), 'HTTP 404 without a reply of Redis: check that the "url"'],
    ['400, an error of Redis', replying(400, '{"error":"ERR one"}'), 'ERR one'],
    ['200, an error of Redis', replying(200, '{"error":"READONLY no"}'), 'READONLY no'],
    ['429', replying(429, '{"error":"ERR too many requests"}'), 'ERR too many requests'],
    ['429 without a body', replying(429, ''), 'HTTP 429'],
    ['500', replying(500, 'sorry'), 'HTTP 500'],
    ['502, HTML', replying(502, html), 'HTTP 502'],
    ['200, HTML', replying(200, html), 'HTTP 200 without a reply of Redis'],
    ['200, truncated JSON', replying(200, '{"result":[1,'), 'HTTP 200 without a reply of Redis'],
    ['200, a list', replying(200, '[{"result":1}]'), 'HTTP 200 without a reply of Redis'],
    ['200, no result', replying(200, '{}'), 'HTTP 200 without a reply of Redis'],
    ['200, null', replying(200, '{"result":null}'), 'answered a script with null'],
    ['a closed connection', (response) => void response.destroy(), 'fetch failed'],
    [
      'a connection that closes within the body',
      (response) => {
        response.writeHead(200, { 'content-length': '999' })
        response.write('{"result":[', () => setTimeout(() => response.destroy(), 20))
      },
      'terminated',
    ],
  ])('%s', async (_, answer, words) => {
    const limiter = await warmLimiter({ timeout: '10s' })
    rest().answer = answer
    const error = await limiter.penalize('key', 1).catch((reason: unknown) => reason)
    expect(error).toMatchObject({ code: 'SLUICE_STORE_FAILED' })
    expect(String(error)).toContain(words)
    expect(String(error)).not.toContain(rest().token)
    expect((await limiter.consume('key')).source).toBe('closed')
    expect(rest().commands).toEqual(['EVAL', 'EVALSHA'])
  })

  test('a redirect, which is not followed', async () => {
    let visits = 0
    const other = createServer((_request, response) => {
      visits++
      response.end('{"result":[1,1]}')
    }).listen(0, '127.0.0.1')
    await once(other, 'listening')
    onTestFinished(() => void other.close())
    const { port } = other.address() as AddressInfo
    for (const status of [301, 302, 307, 308]) {
      rest().answer = undefined
      const limiter = await warmLimiter({ timeout: '10s' })
      rest().answer = (response) =>
        void response.writeHead(status, { location: `http://127.0.0.1:${port}/` }).end()
      const error = await limiter.penalize('key', 1).catch((reason: unknown) => reason)
      expect(String(error)).toContain(`HTTP ${status} without a reply of Redis`)
      expect(rest().commands).toHaveLength(1)
    }
    expect(visits).toBe(0)
  })

  test('a wrong token', async () => {
    const client = restClient({ url: rest().url, token: 'another-token' })
    const limiter = limiterOver(redisStore(client, { timeout: '10s' }))
    await expect(limiter.penalize('key', 1)).rejects.toThrow(
      'HTTP 401: check that the "token" of restClient is that of the database at its "url"',
    )
    expect((await limiter.consume('key')).source).toBe('closed')
  })
})

test('a connection that the service closes between two calls loses no call, and repeats none', async () => {
  const limiter = await warmLimiter({ timeout: '10s' })
  rest().answer = async (response, forward) => {
    response.setHeader('connection', 'close')
    response.end((await forward()).body)
  }
  for (let i = 0; i < 20; i++) expect((await limiter.consume('key')).source).toBe('store')
  rest().answer = undefined
  expect((await limiter.peek('key')).remaining).toBe(5)
})
