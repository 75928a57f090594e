import { createServer } from 'node:http'
import { once } from 'node:events'
import { fixedWindow } from '@sluice/core'
import { describe, expect, onTestFinished, test } from 'vitest'
import { byRoute, decisionOf, rateLimit } from '../src/index.js'
import { denialBody } from '../src/responses.js'

const options = { policies: fixedWindow({ limit: 2, window: '1m' }), key: 'all' } as const
const allowed = { 'ratelimit-policy': '"default";q=2;w=60', ratelimit: '"default";r=1;t=60' }

const get = (path = '/', init?: RequestInit): Request => new Request(`http://host${path}`, init)

/** The headers of limits and of the application. */
function fieldsOf({ headers }: Response): Record<string, string> {
  const kept = new Set(['ratelimit', 'ratelimit-policy', 'retry-after', 'location'])
  return Object.fromEntries([...headers].filter(([name]) => kept.has(name)))
}

/** A response of `fetch`, whose headers are immutable. */
async function proxied(): Promise<Response> {
  const server = createServer((_request, response) => {
    response.setHeader('set-cookie', ['a=1', 'b=2']).setHeader('x-own', 'kept').end('upstream')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : undefined
  return fetch(`http://127.0.0.1:${port}/`)
}

describe('the headers are in', () => {
  test.each<[string, () => Response | Promise<Response>, number, string]>([
    ['a text', () => new Response('hello', { headers: { 'x-own': 'kept' } }), 200, 'hello'],
    ['a promise of one', async () => new Response('hello'), 200, 'hello'],
    ['an error', () => new Response('broken', { status: 500 }), 500, 'broken'],
    ['a redirect', () => Response.redirect('http://host/new', 307), 307, ''],
    ['a response without a body', () => new Response(null, { status: 304 }), 304, ''],
    ['a proxied response', proxied, 200, 'upstream'],
    [
      'a thrown Response',
      () => {
        // oxlint-disable-next-line typescript/only-throw-error -- frameworks do
        throw new Response('thrown', { status: 403 })
      },
      403,
      'thrown',
    ],
  ])('%s', async (what, handler, status, text) => {
    const response = await rateLimit(options)(handler as (request: Request) => Promise<Response>)(
      get(),
    )
    expect([response.status, await response.text()]).toEqual([status, text])
    const own = what === 'a redirect' ? { location: 'http://host/new' } : {}
    expect(fieldsOf(response)).toMatchObject({ ...allowed, ...own })
    if (what === 'a proxied response')
      expect(response.headers.getSetCookie()).toEqual(['a=1', 'b=2'])
  })
})

test('a handler that returns no promise is answered', async () => {
  const hello = new Response('hello')
  expect(await rateLimit(options)((_request: Request) => hello)(get())).toBe(hello)
})

test('a handler receives each argument and its own `this`, and its errors pass through', async () => {
  const limit = rateLimit(options)
  const seen: unknown[] = []
  const routes = {
    prefix: 'v1',
    get: limit(function read(this: { prefix: string }, request: Request, env: object, id: number) {
      seen.push(this.prefix, request.url, env, id)
      throw new TypeError('broken')
    }),
  }
  const env = {}
  await expect(async () => routes.get(get('/x'), env, 7)).rejects.toThrow(new TypeError('broken'))
  expect(seen).toEqual(['v1', 'http://host/x', env, 7])
})

test.each([
  ['an upgrade on Bun', undefined],
  ['a switch of protocols', { status: 101, headers: new Headers(), bodyUsed: false, body: null }],
])('%s passes through', async (_, returned) => {
  const limit = rateLimit(options)
  expect(await limit((_request: Request) => returned as unknown as Response)(get())).toBe(returned)
})

test('a denial is a 429 with a problem, and the handler is not called', async () => {
  const limit = rateLimit({ ...options, policies: fixedWindow({ limit: 0, window: '1m' }) })
  const response = await limit.run(get(), () => {
    throw new Error('called')
  })
  expect([response.status, response.headers.get('content-type')]).toEqual([
    429,
    'application/problem+json',
  ])
  expect(fieldsOf(response)).toEqual({
    'ratelimit-policy': '"default";q=0;w=60',
    ratelimit: '"default";r=0',
    'retry-after': '1',
  })
  expect(await response.json()).toMatchObject({ status: 429, 'violated-policies': ['default'] })
})

test.each([
  ['of HEAD', { method: 'HEAD' }, 429],
  ['with status 204', {}, 204],
])('a denial %s has no body', async (_, init, statusCode) => {
  const limit = rateLimit({ limit: 0, window: '1m', key: 'all', statusCode })
  const response = await limit.run(get('/', init), () => new Response('called'))
  expect([response.status, response.body]).toEqual([statusCode, null])
  expect(response.headers.has('retry-after')).toBe(true)
})

test('a wrong request is a 400 with a text for the client, and no request continues', async () => {
  const limit = rateLimit({ ...options, key: (request) => request.headers.get('x-id') as string })
  const response = await limit.run(get(), () => new Response('called'))
  expect([response.status, response.headers.get('content-type')]).toEqual([
    400,
    'text/plain; charset=utf-8',
  ])
  expect(await response.text()).toBe('The request has no valid key for its rate limit.\n')
})

test('an error of the options rejects, and no request continues', async () => {
  const limit = rateLimit({ ...options, cost: () => NaN })
  const response = limit.run(get(), () => new Response('called'))
  await expect(response).rejects.toMatchObject({ code: 'SLUICE_COST_INVALID' })
})

describe('several limits on one request', () => {
  const styles = ['draft', 'legacy'] as const
  const of = (name: string, limit: number): ReturnType<typeof rateLimit> =>
    rateLimit({ name, limit, window: '1m', key: 'all', algorithm: fixedWindow, headers: styles })

  const five = rateLimit({
    limit: 5,
    window: '1m',
    name: 'five',
    key: 'all',
    algorithm: fixedWindow,
  })
  const two = rateLimit({ limit: 2, window: '1h', name: 'two', key: 'all', algorithm: fixedWindow })

  test('are joined in the order in which they were asked, also on a response that replaces another one', async () => {
    let inner: Response | undefined
    const response = await five.run(get(), async () => {
      inner = await two.run(new Request('http://host/'), () => new Response('other request'))
      return new Response('replaced')
    })
    expect(inner?.headers.get('ratelimit')).toBe('"two";r=1;t=3600')
    expect(response.headers.get('ratelimit')).toBe('"five";r=4;t=60')

    const request = get()
    const both = await five.run(request, async () => {
      await two.run(request, () => new Response('hidden'))
      return new Response('shown')
    })
    expect([await both.text(), both.headers.get('ratelimit')]).toEqual([
      'shown',
      '"five";r=3;t=60, "two";r=0;t=3600',
    ])
    expect(decisionOf(request)).toMatchObject({ limit: 2, remaining: 0 })
  })

  test('a denial passes back through the outer one, and through other middleware', async () => {
    const withCors = async (next: () => Promise<Response>): Promise<Response> => {
      const response = await next()
      response.headers.set('access-control-allow-origin', '*')
      return response
    }
    const request = get()
    const response = await five.run(request, async () =>
      withCors(async () => two.run(request, () => new Response('called'))),
    )
    expect(response.status).toBe(429)
    expect(response.headers.get('access-control-allow-origin')).toBe('*')
    expect(response.headers.get('ratelimit')).toBe('"five";r=2;t=60, "two";r=0;t=3600')
    expect(response.headers.has('retry-after')).toBe(true)
  })

  test.each([
    ['outer', 1, 5],
    ['inner', 5, 1],
  ])(
    'are joined if the application replaces the Request between them, with the number of the tighter one: %s',
    async (_, first, second) => {
      const [outer, middle, inner] = [of('outer', first), of('middle', 9), of('inner', second)]
      const handler = outer((sent: Request) =>
        middle.run(sent, async () => inner.run(new Request(sent), () => new Response('hello'))),
      )
      const { headers } = await handler(get())
      expect(headers.get('ratelimit')).toBe(
        `"outer";r=${first - 1};t=60, "middle";r=8;t=60, "inner";r=${second - 1};t=60`,
      )
      expect(headers.get('x-ratelimit-limit')).toBe('1')
      const denied = await handler(get())
      expect([denied.status, denied.headers.get('x-ratelimit-remaining')]).toEqual([429, '0'])
    },
  )

  test('on a response that the application uses for several requests are those of the last one', async () => {
    const shared = new Response(null)
    const [one, other] = [of('one', 9), of('other', 9)]
    const next = (): Response => shared
    await one.run(get(), next)
    await other.run(get(), next)
    expect(shared.headers.get('ratelimit')).toBe('"other";r=8;t=60')
    await one.run(get(), async () => one.run(get(), next))
    expect(shared.headers.get('ratelimit')).toBe('"one";r=7;t=60')
  })

  test('a Request that is used again has the headers of its last use', async () => {
    const limit = rateLimit(options)
    const request = get()
    for (const left of [1, 0]) {
      const { headers } = await limit.run(request, () => new Response('hello'))
      expect(headers.get('ratelimit')).toBe(`"default";r=${left};t=60`)
    }
  })
})

describe('onDenied', () => {
  const denied = { limit: 0, window: '1m', key: 'all' } as const

  test('returns a response, which gets the headers', async () => {
    const limit = rateLimit({
      ...denied,
      onDenied: (request, _next, { allowed }) => new Response(`${request.url} ${allowed}`),
    })
    const response = await limit.run(get('/x'), () => new Response('called'))
    expect([await response.text(), response.headers.has('retry-after')]).toEqual([
      'http://host/x false',
      true,
    ])
  })

  test('lets the request continue once, without Retry-After', async () => {
    let calls = 0
    const limit = rateLimit({
      ...denied,
      async onDenied(_request, next) {
        await next()
        await next()
      },
    })
    const response = await limit.run(get(), () => new Response(`call ${++calls}`))
    expect([await response.text(), fieldsOf(response)['retry-after']]).toEqual([
      'call 1',
      undefined,
    ])
    expect(fieldsOf(response)['ratelimit']).toBe('"default";r=0')
  })

  test('that does neither is an error, and no request continues', async () => {
    const limit = rateLimit({ ...denied, onDenied() {} })
    const response = limit.run(get(), () => new Response('called'))
    await expect(response).rejects.toMatchObject({ code: 'SLUICE_RESULT_INVALID' })
  })
})

describe('check', () => {
  test('returns the decision and the headers, and a response for a denial', async () => {
    const limit = rateLimit({ ...options, policies: fixedWindow({ limit: 1, window: '1m' }) })
    const first = await limit.check(get())
    expect([first.allowed, first.decision?.remaining, first.response]).toEqual([true, 0, undefined])
    expect(Object.fromEntries(first.headers)).toEqual({
      'ratelimit-policy': '"default";q=1;w=60',
      ratelimit: '"default";r=0;t=60',
    })
    const second = await limit.check(get())
    expect([second.allowed, second.response?.status]).toEqual([false, 429])
    expect(second.headers.get('retry-after')).toBe('60')
    expect(second.response?.headers.get('ratelimit')).toBe('"default";r=0;t=60')
  })

  test('allows a request that onDenied lets continue, and returns the response of another', async () => {
    const limit = rateLimit({
      limit: 0,
      window: '1m',
      key: 'all',
      onDenied: (request, next) => (request.method === 'GET' ? next() : new Response('own')),
    })
    const passed = await limit.check(get())
    expect([passed.allowed, passed.decision?.allowed, passed.response]).toEqual([
      true,
      false,
      undefined,
    ])
    expect(passed.headers.has('retry-after')).toBe(false)
    const posted = await limit.check(get('/', { method: 'POST' }))
    expect([posted.allowed, await posted.response?.text()]).toEqual([false, 'own'])
  })

  test('refuses options that need the response', async () => {
    const limit = rateLimit({ ...options, count: 'failures' })
    await expect(limit.check(get())).rejects.toMatchObject({ code: 'SLUICE_RESPONSE_UNSEEN' })
    expect((await limit.limiter.status('all')).policies['default'].used).toBe(0)
  })
})

test('byRoute uses the route that the caller names', async () => {
  const limit = rateLimit({ ...options, key: byRoute() })
  const next = (): Response => new Response('hello')
  expect((await limit.run(get('/items/1'), next, { route: '/items/:id' })).status).toBe(200)
  expect(await limit.keyOf(get('/items/1'), { route: '/items/:id' })).toEqual([
    'route',
    'GET',
    '/items/:id',
  ])
  await expect(limit.run(get(), next)).rejects.toMatchObject({ code: 'SLUICE_ROUTE_MISSING' })
})

test.each([undefined, {}, get()])(
  'takes no %s for a handler, which nothing would call',
  (value) => {
    expect(() => rateLimit(options)(value as never)).toThrow(
      expect.objectContaining({ code: 'SLUICE_OPTION_INVALID' }),
    )
  },
)

test.each([101, 103, 204, 205, 304])('a denial with the status %i has no body', (status) => {
  expect(denialBody(get(), status, 'denied')).toBeNull()
})

test.each([200, 203, 206, 305, 400, 429, 503])(
  'a denial with the status %i has a body',
  (status) => {
    expect(denialBody(get(), status, 'denied')).toBe('denied')
    expect(denialBody(get('/', { method: 'HEAD' }), status, 'denied')).toBeNull()
  },
)

test('a Request and a Response that ten thousand calls use have the headers of the last one only', async () => {
  const response = new Response('always the same')
  const limited = rateLimit({ policies: fixedWindow({ limit: 10_000, window: '1h' }), key: 'all' })(
    () => response,
  )
  const request = get()
  for (let left = 9999; left >= 0; left--) {
    const { headers } = await limited(request)
    expect(headers.get('ratelimit')).toContain(`"default";r=${left};`)
    expect(headers.get('ratelimit-policy')).toBe('"default";q=10000;w=3600')
  }
  expect((await limited(request)).status).toBe(429)
})
