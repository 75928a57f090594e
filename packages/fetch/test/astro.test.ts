import { fixedWindow } from '@sluice/core'
import { expect, test, vi } from 'vitest'
import { byRoute, rateLimit, type AstroContext } from '../src/astro.js'

const policies = fixedWindow({ limit: 2, window: '1m' })

function contextOf(
  headers: Record<string, string> = {},
  others: Partial<AstroContext> = {},
): AstroContext {
  const request = new Request('http://host/blog/7', { headers })
  return {
    request,
    locals: {},
    params: { id: '7' },
    routePattern: '/blog/[id]',
    isPrerendered: false,
    url: new URL(request.url),
    clientAddress: '192.0.2.1',
    ...others,
  }
}

const page = async (): Promise<Response> => new Response('page')

test('the middleware limits by the address that Astro reports, and writes the headers', async () => {
  const onRequest = rateLimit({ policies })
  const responses = [
    await onRequest(contextOf(), page),
    await onRequest(contextOf(), page),
    await onRequest(contextOf(), page),
    await onRequest(contextOf({}, { clientAddress: '192.0.2.2' }), page),
  ]
  expect(responses.map(({ status }) => status)).toEqual([200, 200, 429, 200])
  expect(responses[0].headers.get('ratelimit')).toBe('"default";r=1;t=60')
})

test('the decision is in the locals, and the route is the pattern of Astro', async () => {
  const onRequest = rateLimit({ policies, key: byRoute() })
  const context = contextOf()
  expect(await onRequest.keyOf(context)).toEqual(['route', 'GET', '/blog/[id]'])
  await onRequest(context, page)
  expect(context.locals.rateLimit).toMatchObject({ limit: 2, remaining: 1 })
})

test('an address that its adapter has read from X-Forwarded-For is not used, because a client can write it', async () => {
  const onRequest = rateLimit({ policies })
  const forged = contextOf(
    { 'x-forwarded-for': '198.51.100.1, 192.0.2.9' },
    { clientAddress: '198.51.100.1' },
  )
  await expect(async () => onRequest(forged, page)).rejects.toThrow(
    expect.objectContaining({
      code: 'SLUICE_ADDRESS_MISSING',
      message: expect.stringContaining(`pass address: { proxies: 1 }`),
    }),
  )
  const behindProxy = rateLimit({ policies, address: { proxies: 1 } })
  expect(await behindProxy.keyOf(forged)).toBe('ip:192.0.2.9')
})

test('a forged header changes nothing if Astro reports the address of the connection', async () => {
  const onRequest = rateLimit({ policies })
  expect(await onRequest.keyOf(contextOf({ 'x-forwarded-for': '198.51.100.1' }))).toBe(
    'ip:192.0.2.1',
  )
})

test('an adapter without an address makes the request fail, unless the option names another one', async () => {
  const context = contextOf({ 'x-forwarded-for': '198.51.100.1' })
  Object.defineProperty(context, 'clientAddress', {
    get() {
      throw new Error('not available')
    },
  })
  await expect(async () => rateLimit({ policies })(context, page)).rejects.toThrow(
    expect.objectContaining({ code: 'SLUICE_ADDRESS_MISSING' }),
  )
  const named = rateLimit({ policies, address: () => '192.0.2.3' })
  expect((await named(context, page)).status).toBe(200)
})

test('a page that the build renders is not limited', async () => {
  const onRequest = rateLimit({ policies })
  const response = await onRequest(contextOf({}, { isPrerendered: true }), page)
  expect([response.status, response.headers.has('ratelimit')]).toEqual([200, false])
})

test('a refund reaches waitUntil of the runtime of Cloudflare', async () => {
  const waitUntil = vi.fn()
  const onRequest = rateLimit({ policies, key: 'all', count: 'failures' })
  const locals = Object.assign<App.Locals, object>({}, { runtime: { ctx: { waitUntil } } })
  await onRequest(contextOf({}, { locals }), page)
  expect(waitUntil.mock.calls.length).toBe(1)
})
