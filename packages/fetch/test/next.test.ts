import {
  concurrency,
  createLimiter,
  fixedWindow,
  memoryStore,
  SluiceError,
  type MemoryStore,
} from '@sluice/core'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { proxyLimit, rateLimit, type ProxyLimitOptions } from '../src/next.js'

const policies = fixedWindow({ limit: 3, window: '1m' })
const all = { policies, key: 'all' } as const
const get = (headers: Record<string, string> = {}): Request =>
  new Request('http://host/', { headers })

/** The errors that `next/navigation` throws. */
const errors = {
  redirect: ['NEXT_REDIRECT;replace;/login;307;', 307],
  permanentRedirect: ['NEXT_REDIRECT;push;https://host/a;b;c;308;', 308],
  notFound: ['NEXT_HTTP_ERROR_FALLBACK;404', 404],
  forbidden: ['NEXT_HTTP_ERROR_FALLBACK;403', 403],
  'notFound of Next.js 14': ['NEXT_NOT_FOUND', 404],
} as const

function thrownBy(name: keyof typeof errors): Error {
  return Object.assign(new Error(name), { digest: errors[name][0] })
}

describe('a route handler that throws by', () => {
  test.each(Object.keys(errors) as (keyof typeof errors)[])(
    '%s counts by its status, and the error passes through unchanged',
    async (name) => {
      const seen: unknown[] = []
      const limit = rateLimit({ ...all, count: ({ status }) => seen.push(status) === 0 })
      const error = thrownBy(name)
      await expect(limit(async () => Promise.reject(error))(get())).rejects.toBe(error)
      await vi.waitFor(async () =>
        expect((await limit.limiter.status('all')).policies['default'].used).toBe(0),
      )
      expect(seen).toEqual([errors[name][1]])
    },
  )
})

test('redirects do not use up a limit of failures, and errors do', async () => {
  const limit = rateLimit({ ...all, count: 'failures' })
  const redirecting = limit(async () => Promise.reject(thrownBy('redirect')))
  for (let i = 0; i < 5; i++) await expect(redirecting(get())).rejects.toThrow('redirect')
  const failing = limit(async () =>
    Promise.reject(Object.assign(new Error('broken'), { digest: '1234567890' })),
  )
  for (let i = 0; i < 3; i++) await expect(failing(get())).rejects.toThrow('broken')
  expect((await limit(() => new Response('called'))(get())).status).toBe(429)
})

test('a route handler receives its context, and a refund reaches waitUntil of the platform', async () => {
  const waitUntil = vi.fn()
  const symbol = Symbol.for('@next/request-context')
  Reflect.set(globalThis, symbol, { get: () => ({ waitUntil }) })
  onTestFinished(() => void Reflect.deleteProperty(globalThis, symbol))
  const limit = rateLimit({ ...all, count: 'failures' })
  const context = { params: Promise.resolve({ id: '7' }) }
  const GET = limit(async (_request: Request, { params }: typeof context) =>
    Response.json(await params),
  )
  expect(await (await GET(get(), context)).json()).toEqual({ id: '7' })
  expect(waitUntil.mock.calls.length).toBe(1)
})

describe('a proxy', () => {
  const event = { waitUntil() {} }

  test('lets a request continue to its route, with the headers of the limit', async () => {
    const response = await proxyLimit(all)(get(), event)
    expect([response.status, Object.fromEntries(response.headers)]).toEqual([
      200,
      {
        'x-middleware-next': '1',
        'ratelimit-policy': '"default";q=3;w=60',
        ratelimit: '"default";r=2;t=60',
      },
    ])
  })

  test('returns the response of its option next, or continues if that returns none', async () => {
    const requests: unknown[] = []
    const proxy = proxyLimit({
      ...all,
      next: (request, given) =>
        requests.push([request, given]) === 1
          ? Response.redirect('http://host/new', 307)
          : undefined,
    })
    const request = get()
    const redirected = await proxy(request, event)
    expect([redirected.status, redirected.headers.get('ratelimit')]).toEqual([
      307,
      '"default";r=2;t=60',
    ])
    expect((await proxy(get(), event)).headers.get('x-middleware-next')).toBe('1')
    expect(requests[0]).toEqual([request, event])
  })

  test('answers a denied request, without calling its option next', async () => {
    const next = vi.fn()
    const proxy = proxyLimit({ limit: 0, window: '1m', key: 'all', next })
    const response = await proxy(get(), event)
    expect([response.status, response.headers.has('x-middleware-next')]).toEqual([429, false])
    expect(next.mock.calls.length).toBe(0)
  })

  test('finds addresses by its option', async () => {
    const proxy = proxyLimit({ limit: 1, window: '1m', address: { proxies: 1 } })
    const forged = (own: string): Request => get({ 'x-forwarded-for': `${own}, 192.0.2.1` })
    const statuses = [
      await proxy(forged('10.0.0.1'), event),
      await proxy(forged('10.0.0.2'), event),
    ]
    expect(statuses.map(({ status }) => status)).toEqual([200, 429])
  })

  const named = (store: MemoryStore) => ({ ...all, name: 'x', store }) as const

  test.each<[string, (store: MemoryStore) => unknown]>([
    ['"count"', (store) => proxyLimit({ ...named(store), count: 'failures' })],
    ['"resetOn"', (store) => proxyLimit({ ...named(store), resetOn: 'success' })],
    [
      'a policy of "concurrency"',
      (store) => proxyLimit({ ...named(store), policies: concurrency({ limit: 1, lease: '10s' }) }),
    ],
  ])('with %s is refused when it is made, and keeps no name', (needed, make) => {
    const store = memoryStore()
    expect(() => make(store)).toThrow(
      expect.objectContaining({
        code: 'SLUICE_RESPONSE_UNSEEN',
        message: expect.stringContaining(`limiter "x": ${needed} depends on the response`),
      }),
    )
    expect(createLimiter({ name: 'x', policies, store }).name).toBe('x')
  })

  test.each([
    [{ ...all, next: 'hello' }, 'rateLimit: "next"'],
    [undefined, 'rateLimit'],
  ])('with the options %j is an error', (options, text) => {
    const call = (): unknown => proxyLimit(options as unknown as ProxyLimitOptions)
    expect(call).toThrow(SluiceError)
    expect(call).toThrow(text)
  })
})
