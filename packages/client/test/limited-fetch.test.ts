import { Readable } from 'node:stream'
import { describe, expect, test, vi } from 'vitest'
import { fetch as undici } from 'undici'
import {
  concurrency,
  createLimiter,
  DeniedError,
  fixedWindow,
  limitedFetch,
  memoryStore,
  notLimited,
  tokenBucket,
  unlimited,
  type AsyncStore,
  type Limiter,
  type Policy,
} from '../src/index.js'
import { blockKey } from '../src/server-block.js'
import { serve } from './servers.js'

const generous = tokenBucket({ capacity: 100, refill: 100, every: '1s' })

function limiterOf(policies: Policy = generous): Limiter {
  return createLimiter({ name: 'calls', policies })
}

/** A server that answers with these statuses and headers in turn, and then with 200. */
async function answering(...answers: readonly (readonly [number, Record<string, string>?])[]) {
  const bodies: string[] = []
  let asked = 0
  const server = await serve((request, response) => {
    let body = ''
    request.setEncoding('utf8').on('data', (chunk: string) => (body += chunk))
    request.on('end', () => {
      bodies.push(`${request.method} ${body}`)
      const [status, headers = {}] = answers[asked++] ?? [200]
      response.writeHead(status, headers).end(`answer ${asked}`)
    })
  })
  return { ...server, bodies, host: new URL(server.url).host }
}

const past = 'Mon, 23 Nov 2026 16:22:16 GMT'

/** A moment in seconds since 1970, by the clock of a server whose `Date` is in the past. */
function inSeconds(seconds: number): string {
  return String(Date.parse(past) / 1000 + seconds)
}

const soon = [429, { 'Retry-After': '0.2' }] as const

async function blockedMs(limiter: Limiter, key: string): Promise<number> {
  return (await limiter.status(key)).policies['default'].blockedMs
}

describe('waiting', () => {
  test('counts by the host, and the key of the options', async () => {
    const server = await answering()
    const limiter = limiterOf(fixedWindow({ limit: 10, window: '1m' }))
    const used = async (key: string) => (await limiter.status(key)).policies['default'].used
    await limitedFetch(limiter)(server.url)
    await limitedFetch(limiter)(new URL(server.url))
    await limitedFetch(limiter)(new Request(server.url))
    await limitedFetch(limiter, { key: 'all' })(server.url)
    await limitedFetch(limiter, { key: ({ pathname }) => `path ${pathname}` })(`${server.url}a`)
    expect([await used(server.host), await used('all'), await used('path /a')]).toEqual([3, 1, 1])
  })

  test('sends a call without a host at once, unless the options have a key', async () => {
    const limiter = limiterOf(fixedWindow({ limit: 1, window: '1m' }))
    const call = limitedFetch(limiter, { maxWait: 0 })
    for (let i = 0; i < 2; i++) expect(await (await call('data:,text')).text()).toBe('text')
    const counted = limitedFetch(limiter, { maxWait: 0, key: 'all' })
    expect(await (await counted('data:,text')).text()).toBe('text')
    await expect(counted('data:,text')).rejects.toThrow(DeniedError)
  })

  test('rejects with a DeniedError if the wait would be too long, and sends nothing', async () => {
    const server = await answering()
    const limiter = limiterOf(fixedWindow({ limit: 1, window: '1m' }))
    const call = limitedFetch(limiter, { maxWait: '1s' })
    await call(server.url)
    const error = await call(server.url).catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(DeniedError)
    expect(String(error)).toMatch(/whose "decision" says more, or pass a longer "maxWait"\.$/)
    expect(server.statuses).toEqual([200])
  })

  test('ends with the signal of the call, of its options or of its request', async () => {
    const server = await answering()
    const limiter = limiterOf(fixedWindow({ limit: 1, window: '1m' }))
    const call = limitedFetch(limiter, { maxWait: '2m' })
    await call(server.url)
    const reason = new Error('no longer')
    for (const start of [
      async (signal: AbortSignal) => call(server.url, { signal }),
      async (signal: AbortSignal) => call(new Request(server.url, { signal })),
    ]) {
      const leaving = new AbortController()
      const outcome = start(leaving.signal).catch((error: unknown) => error)
      setTimeout(() => leaving.abort(reason), 30)
      expect(await outcome).toBe(reason)
    }
    expect(server.statuses).toEqual([200])
  })

  test('the signal also ends the wait for a retry', async () => {
    const server = await answering([429, { 'Retry-After': '20' }])
    const leaving = new AbortController()
    const call = limitedFetch(limiterOf(), { maxWait: '1m' })
    const outcome = call(server.url, { signal: leaving.signal }).catch((error: unknown) => error)
    await vi.waitFor(() => expect(server.statuses).toEqual([429]))
    leaving.abort(new Error('no longer'))
    expect(await outcome).toMatchObject({ message: 'no longer' })
  })

  test('holds a unit of concurrency until the response begins, also if the call fails', async () => {
    const limiter = limiterOf(concurrency({ limit: 1, lease: '1m' }))
    const used = async () => (await limiter.status('all')).policies['default'].used
    let running = 0
    const server = await serve((_request, response) => {
      running++
      setTimeout(() => {
        expect(running--).toBe(1)
        response.end('ok')
      }, 30)
    })
    const call = limitedFetch(limiter, { key: 'all' })
    const answers = [1, 2, 3].map(async () => call(server.url))
    await vi.waitFor(async () => expect(await used()).toBe(1))
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([200, 200, 200])
    await expect(call('http://127.0.0.1:9/')).rejects.toThrow()
    expect(await used()).toBe(0)
  })
})

describe('retrying', () => {
  test('sends an idempotent call again after the time that a 429 names', async () => {
    for (const method of ['GET', 'PUT', 'DELETE', 'put']) {
      const server = await answering(soon)
      const began = performance.now()
      const call = limitedFetch(limiterOf(), { maxWait: '10s' })
      const response = await call(server.url, {
        method,
        ...(method === 'GET' ? {} : { body: 'a' }),
      })
      expect([response.status, await response.text()]).toEqual([200, 'answer 2'])
      expect(performance.now() - began).toBeGreaterThanOrEqual(190)
      const body = method === 'GET' ? '' : 'a'
      expect(new Set(server.bodies)).toEqual(new Set([`${method.toUpperCase()} ${body}`]))
    }
  })

  test.each([
    ['a POST', soon, { method: 'POST', body: 'a' }],
    ['a PATCH', soon, { method: 'PATCH', body: 'a' }],
    ['a streamed body', soon, { method: 'PUT', body: streamOf('a'), duplex: 'half' }],
    ['a response without a time', [429], {}],
    ['a time beyond maxWait', [429, { 'Retry-After': '60' }], {}],
    ['a 503', [503, { 'Retry-After': '1' }], {}],
    ['no retry left', soon, {}, 0],
  ] as const)('returns the response as it is: %s', async (_, answer, init, retries?: number) => {
    const server = await answering(answer)
    const call = limitedFetch(limiterOf(), { maxWait: '10s', retries: retries ?? 2 })
    const response = await call(server.url, init)
    expect([response.status, await response.text()]).toEqual([answer[0], 'answer 1'])
    expect(server.statuses).toEqual([answer[0]])
  })

  test.each([
    ['a 403 that names a time', [403, { 'Retry-After': '0.2' }]],
    [
      'a 403 after which nothing remains',
      [403, { 'X-RateLimit-Remaining': '0', 'X-RateLimit-Reset': '0.2' }],
    ],
    ['a 429 with a moment', [429, { 'Retry-After': inSeconds(0.2), Date: past }]],
    ['a 429 with a duration', [429, { 'X-RateLimit-Reset-Tokens': '200ms' }]],
  ] as const)('sends a call again after %s', async (_, answer) => {
    const server = await answering(answer)
    const began = performance.now()
    const response = await limitedFetch(limiterOf(), { maxWait: '10s' })(server.url)
    expect([response.status, await response.text()]).toEqual([200, 'answer 2'])
    expect(performance.now() - began).toBeGreaterThanOrEqual(190)
  })

  test('sends a call with an Idempotency-Key again if the options ask for it', async () => {
    const keyed = { 'idempotency-key': '"a"' }
    for (const headers of [keyed, Object.entries(keyed), new Headers(keyed)]) {
      for (const method of ['POST', 'PATCH']) {
        const server = await answering(soon, soon)
        const init = { method, headers, body: 'a' }
        const careful = await limitedFetch(limiterOf())(server.url, init)
        expect([careful.status, server.bodies]).toEqual([429, [`${method} a`]])
        const call = limitedFetch(limiterOf(), { retryByIdempotencyKey: true })
        expect((await call(server.url, init)).status).toBe(200)
        expect(server.bodies).toEqual(Array.from({ length: 3 }, () => `${method} a`))
      }
    }
  })

  test.each([
    ['no Idempotency-Key', { headers: { 'X-Key': 'a' } }],
    ['an empty Idempotency-Key', { headers: { 'Idempotency-Key': '' } }],
    [
      'a streamed body',
      { headers: { 'Idempotency-Key': 'a' }, body: streamOf('a'), duplex: 'half' },
    ],
  ] as const)('sends a POST with %s once', async (_, init) => {
    const server = await answering(soon)
    const call = limitedFetch(limiterOf(), { retryByIdempotencyKey: true })
    expect((await call(server.url, { method: 'POST', ...init })).status).toBe(429)
    expect(server.statuses).toEqual([429])
  })

  test('the Idempotency-Key of a request counts unless the options have headers', async () => {
    const request = { method: 'POST', headers: { 'Idempotency-Key': 'a' } }
    for (const [init, status] of [
      [{}, 200],
      [{ headers: {} }, 429],
    ] as const) {
      const server = await answering(soon)
      const call = limitedFetch(limiterOf(), { retryByIdempotencyKey: true })
      expect((await call(new Request(server.url, request), init)).status).toBe(status)
    }
  })

  test('a request with a body is sent once, and one without a body is sent again', async () => {
    const server = await answering(soon, soon)
    const call = limitedFetch(limiterOf(), { maxWait: '10s', retries: 1 })
    const put = await call(new Request(server.url, { method: 'PUT', body: 'a' }))
    expect(put.status).toBe(429)
    expect((await call(new Request(server.url, { method: 'POST' }))).status).toBe(429)
    expect((await call(new Request(server.url))).status).toBe(200)
  })

  test('gives up after the last retry, and sends a kept body each time', async () => {
    const server = await answering(
      ...Array.from({ length: 5 }, () => [429, { 'Retry-After': '0' }] as const),
    )
    const call = limitedFetch(limiterOf(), { maxWait: '10s', retries: 3 })
    const response = await call(server.url, {
      method: 'PUT',
      body: new URLSearchParams({ a: 'b' }),
    })
    expect(response.status).toBe(429)
    expect(server.bodies).toEqual(Array.from({ length: 4 }, () => 'PUT a=b'))
  })

  test('returns the 429 if the limiter itself has no time left for the retry', async () => {
    const limiter = limiterOf(fixedWindow({ limit: 1, window: '1m' }))
    const server = await answering(soon)
    const response = await limitedFetch(limiter, { maxWait: '5s' })(server.url)
    expect([response.status, await response.text()]).toEqual([429, 'answer 1'])
  })

  test('any function of the form of fetch sends the calls', async () => {
    const server = await answering(soon)
    const call = limitedFetch(limiterOf(), { maxWait: '10s', fetch: undici })
    const response = await call(server.url, { method: 'PUT', body: Buffer.from('a') })
    expect([response.status, ...server.bodies]).toEqual([200, 'PUT a', 'PUT a'])
  })

  test('looks fetch up at each call', async () => {
    const call = limitedFetch(limiterOf())
    const replaced = vi.spyOn(globalThis, 'fetch').mockResolvedValue(new Response('replaced'))
    expect(await (await call('http://localhost/')).text()).toBe('replaced')
    replaced.mockRestore()
  })
})

describe('waitOf', () => {
  const seconds = (response: Response) => Number(response.headers.get('X-Wait')) * 1000

  test.each([
    ['a number', seconds],
    ['a text', () => '200ms'],
    ['a promise', async (response: Response) => seconds(response)],
    [
      'the body',
      async (response: Response) =>
        response.ok ? undefined : (await response.clone().text()).length * 25,
    ],
  ])('a call is sent again after the wait that it reads: %s', async (_, waitOf) => {
    const server = await answering([420, { 'X-Wait': '0.2' }])
    const began = performance.now()
    const response = await limitedFetch(limiterOf(), { maxWait: '10s', waitOf })(server.url)
    expect([response.status, await response.text()]).toEqual([200, 'answer 2'])
    expect(performance.now() - began).toBeGreaterThanOrEqual(190)
  })

  test('the other calls wait for what it reads from any response', async () => {
    const server = await answering([200, { 'X-Wait': '20.0001' }])
    const limiter = limiterOf()
    const response = await limitedFetch(limiter, { waitOf: seconds })(server.url)
    expect(response.status).toBe(200)
    const blocked = await blockedMs(limiter, server.host)
    expect(blocked).toBeGreaterThan(19_000)
    expect(blocked).toBeLessThanOrEqual(20_001)
  })

  test('it decides before the known headers, and leaves to them what it does not know', async () => {
    for (const [wait, expected] of [
      [0, 0],
      ['40s', 40_000],
      [undefined, 20_000],
    ] as const) {
      const server = await answering([200, { RateLimit: '"a";r=0;t=20' }])
      const limiter = limiterOf()
      await limitedFetch(limiter, { waitOf: () => wait })(server.url)
      const blocked = await blockedMs(limiter, server.host)
      expect(Math.ceil(blocked / 1000) * 1000).toBe(expected)
    }
  })

  test('an error whose wait is 0 is returned as it is', async () => {
    const server = await answering([404])
    const response = await limitedFetch(limiterOf(), { waitOf: () => 0 })(server.url)
    expect([response.status, server.statuses]).toEqual([404, [404]])
  })

  test.each([NaN, -1, Infinity, null, '5', 'soon', {}])(
    'a call rejects if it returns %s',
    async (wait) => {
      const server = await answering()
      const call = limitedFetch(limiterOf(), { waitOf: () => wait as never })
      await expect(call(server.url)).rejects.toMatchObject({ code: 'SLUICE_RESULT_INVALID' })
    },
  )

  test('a call rejects with its error', async () => {
    const server = await answering()
    const failure = new Error('no such header')
    const call = limitedFetch(limiterOf(), {
      waitOf() {
        throw failure
      },
    })
    await expect(call(server.url)).rejects.toBe(failure)
  })
})

describe('the block of the key', () => {
  test.each([
    ['a 429', [429, { 'Retry-After': '20' }], 20_000],
    ['a 503', [503, { 'Retry-After': '20' }], 20_000],
    ['a 200 after which nothing remains', [200, { RateLimit: '"a";r=0;t=20' }], 20_000],
    ['more than an hour', [429, { 'Retry-After': '86400' }], 3_600_000],
    ['a time of many years', [429, { 'Retry-After': '999999999' }], 3_600_000],
    ['a moment in seconds', [429, { 'Retry-After': inSeconds(20), Date: past }], 20_000],
    ['a 403', [403, { 'Retry-After': '20' }], 20_000],
    ['a limit with a rest', [200, { RateLimit: '"a";r=1;t=20' }], 0],
  ] as const)('%s', async (_, answer, expected) => {
    const server = await answering(answer)
    const limiter = createLimiter({ name: 'calls', policies: generous, clock: () => 0 })
    await limitedFetch(limiter, { maxWait: '1s' })(server.url)
    expect(await blockedMs(limiter, server.host)).toBe(expected)
  })

  test('a shorter time does not replace a longer one', async () => {
    const server = await answering([200, { RateLimit: '"a";r=0;t=2' }])
    const limiter = limiterOf()
    const call = limitedFetch(limiter, {
      fetch: async (input: string) => {
        await limiter.block(server.host, '40s')
        return fetch(input)
      },
    })
    await call(server.url)
    expect(await blockedMs(limiter, server.host)).toBeGreaterThan(30_000)
  })

  test('a shorter time does not replace a longer one of an answer at the same time', async () => {
    for (const store of [undefined, laterStore()]) {
      const policies = fixedWindow({ limit: 10, window: '1h' })
      const limiter = createLimiter({ name: 'calls', policies, ...(store && { store }) })
      await Promise.all([30_000, 1000, 2000].map(async (ms) => blockKey(limiter, 'all', ms)))
      expect(await blockedMs(limiter, 'all')).toBeGreaterThan(20_000)
    }
  })

  test.each([
    ['one key', 'all', 'all'],
    ['a key for each policy', { calls: 'all', user: 'ada', free: 'all' }, 'ada'],
  ] as const)(
    'a policy that is blocked for longer keeps its block, and the others are blocked: %s',
    async (_, key, userKey) => {
      const limiter = createLimiter({
        name: 'calls',
        policies: { calls: generous, user: generous, free: unlimited() },
      })
      limiter.block({ calls: 'all', user: notLimited, free: notLimited }, '10m')
      const blocked = async () =>
        Object.values(
          (await limiter.status({ calls: 'all', user: userKey, free: 'all' })).policies,
        ).map(({ blockedMs }) => Math.ceil(blockedMs / 1000))
      for (const ms of [20_000, 5000]) {
        expect(await blockKey(limiter, key, ms)).toBe(true)
        expect(await blocked()).toEqual([600, 20, 0])
      }
    },
  )

  test.each([
    ['no policy', generous, notLimited],
    ['a policy without a limit only', unlimited(), 'all'],
  ] as const)('a call with %s waits by itself before the retry', async (_, policy, key) => {
    const server = await answering(soon)
    const began = performance.now()
    const call = limitedFetch(limiterOf(policy), { maxWait: '10s', key: () => key })
    expect((await call(server.url)).status).toBe(200)
    expect(performance.now() - began).toBeGreaterThanOrEqual(190)
  })

  test('does not end an exemption: the call that was answered waits by itself', async () => {
    const server = await answering(soon)
    const limiter = limiterOf()
    await limiter.exempt(server.host, '1h')
    const began = performance.now()
    const response = await limitedFetch(limiter, { maxWait: '10s' })(server.url)
    expect(response.status).toBe(200)
    expect(performance.now() - began).toBeGreaterThanOrEqual(190)
    const { blockedMs: blocked, exemptMs } = (await limiter.status(server.host)).policies['default']
    expect([blocked, exemptMs > 3_590_000]).toEqual([0, true])
  })

  test('a limiter that cannot block still waits before the retry', async () => {
    const server = await answering(soon)
    const broken = { ...limiterOf(), status: async () => Promise.reject(new Error('unavailable')) }
    const began = performance.now()
    const response = await limitedFetch(broken, { maxWait: '10s' })(server.url)
    expect(response.status).toBe(200)
    expect(performance.now() - began).toBeGreaterThanOrEqual(190)
  })

  test('a limiter that cannot block does not wait for longer than maxWait', async () => {
    const server = await answering([429, { 'Retry-After': '3' }])
    const broken = { ...limiterOf(), status: async () => Promise.reject(new Error('unavailable')) }
    const response = await limitedFetch(broken, { maxWait: '1s' })(server.url)
    expect([response.status, await response.text()]).toEqual([429, 'answer 1'])
  })
})

describe('wrong options are errors', () => {
  test.each([
    ['a limiter', () => limitedFetch({} as never)],
    ['whole milliseconds', () => limitedFetch(limiterOf(), { maxWait: 'soon' as never })],
    ['a whole number', () => limitedFetch(limiterOf(), { retries: -1 })],
    ['a key', () => limitedFetch(limiterOf(), { key: '' })],
    ['fetch', () => limitedFetch(limiterOf(), { fetch: 'fetch' as never })],
    ['"waitOf"', () => limitedFetch(limiterOf(), { waitOf: '1s' as never })],
    ['true or false', () => limitedFetch(limiterOf(), { retryByIdempotencyKey: 1 as never })],
    ['"maxWait"', () => limitedFetch(limiterOf(), { maxwait: '1s' } as never)],
  ])('%s', (advice, call) => {
    expect(call).toThrow(advice)
  })

  test('a URL that is none rejects as in fetch', async () => {
    await expect(limitedFetch(limiterOf())('/path')).rejects.toThrow(TypeError)
  })
})

function laterStore(): AsyncStore {
  const store = memoryStore()
  return {
    async: true,
    run: async (requests) => requests.map(store.run),
    ping: async () => true,
    close: async () => {},
  }
}

function streamOf(text: string): ReadableStream {
  return Readable.toWeb(Readable.from([text])) as ReadableStream
}
