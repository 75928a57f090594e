import process from 'node:process'
import { concurrency, fixedWindow } from '@sluice/core'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { rateLimit } from '../src/index.js'

const rate = fixedWindow({ limit: 5, window: '1m' })
const slots = concurrency({ limit: 5, lease: '10s' })
const request = (init?: RequestInit): Request => new Request('http://host/', init)

async function usedOf({ limiter }: ReturnType<typeof rateLimit>): Promise<number> {
  return (await limiter.status('all')).policies['default'].used
}

describe('waitUntil', () => {
  test.each<[string, (waitUntil: (work: Promise<unknown>) => void) => readonly unknown[]]>([
    ['the context of Workers', (waitUntil) => [{}, { waitUntil }]],
    ['the event of Next.js', (waitUntil) => [{ waitUntil }]],
  ])(
    'of %s gets one promise before the response is returned, which settles with the refund',
    async (_, rest) => {
      const limit = rateLimit({ policies: rate, key: 'all', count: 'failures' })
      const waitUntil = vi.fn<(work: Promise<unknown>) => void>()
      await limit((_request: Request, ..._rest: unknown[]) => new Response('hello'))(
        request(),
        ...rest(waitUntil),
      )
      expect(waitUntil.mock.calls.length).toBe(1)
      await waitUntil.mock.calls[0][0]
      expect(await usedOf(limit)).toBe(0)
    },
  )

  test('gets no promise if nothing settles', async () => {
    const limit = rateLimit({ policies: rate, key: 'all' })
    const waitUntil = vi.fn()
    await limit.run(request(), () => new Response('hello'), { waitUntil })
    expect(waitUntil.mock.calls.length).toBe(0)
  })

  test('gets a promise that settles when the body of a lease is over', async () => {
    const limit = rateLimit({ policies: slots, key: 'all' })
    const waitUntil = vi.fn<(work: Promise<unknown>) => void>()
    const response = await limit.run(request(), () => new Response('hello'), { waitUntil })
    expect([waitUntil.mock.calls.length, await usedOf(limit)]).toEqual([1, 1])
    await response.text()
    await waitUntil.mock.calls[0][0]
    expect(await usedOf(limit)).toBe(0)
  })

  test('that srvx adds to the request is used', async () => {
    const limit = rateLimit({ policies: rate, key: 'all', count: 'failures' })
    const waitUntil = vi.fn()
    await limit((_request: Request) => new Response('hello'))(
      Object.assign(request(), { runtime: { name: 'node' }, waitUntil }),
    )
    expect(waitUntil.mock.calls.length).toBe(1)
  })

  test('that throws is reported, and the response of the handler stays', async () => {
    const limit = rateLimit({ policies: rate, key: 'all', count: 'failures' })
    const warned = vi.spyOn(process, 'emitWarning').mockReturnValue()
    onTestFinished(() => warned.mockRestore())
    const response = await limit.run(request(), () => new Response('hello'), {
      waitUntil() {
        throw new Error('the context is closed')
      },
    })
    expect(await response.text()).toBe('hello')
    expect(warned.mock.lastCall).toMatchObject([{ message: 'the context is closed' }])
  })

  test('of the request of Next.js on the edge runtime, which throws, is not called', async () => {
    const limit = rateLimit({ policies: rate, key: 'all', count: 'failures' })
    function waitUntil(): void {
      throw new Error('accepts an async API directly')
    }
    const limited = limit((_request: Request) => new Response('hello'))
    expect((await limited(Object.assign(request(), { waitUntil }))).status).toBe(200)
  })
})

test('the body of a request without a lease is not touched', async () => {
  const limit = rateLimit({ policies: rate, key: 'all', count: 'failures' })
  const response = new Response('hello')
  const body = vi.spyOn(response, 'body', 'get')
  expect(await limit.run(request(), () => response)).toBe(response)
  expect(body.mock.calls.length).toBe(0)
})

test.each<[string, Request, Response]>([
  ['a HEAD request', request({ method: 'HEAD' }), new Response('for GET')],
  ['an upgrade', request(), Object.assign(new Response('x'), { webSocket: {} })],
  ['a client that has disconnected', request({ signal: AbortSignal.abort() }), new Response('x')],
])('a lease of %s ends with the handler', async (_, asked, response) => {
  const limit = rateLimit({ policies: slots, key: 'all' })
  const answer = await limit.run(asked, async () => {
    expect(await usedOf(limit)).toBe(1)
    return response
  })
  expect(answer).toBe(response)
  await vi.waitFor(async () => expect(await usedOf(limit)).toBe(0))
})

test('a lease of a handler that throws ends with it', async () => {
  const limit = rateLimit({ policies: slots, key: 'all' })
  await expect(
    limit.run(request(), async () => Promise.reject(new Error('broken'))),
  ).rejects.toThrow('broken')
  await vi.waitFor(async () => expect(await usedOf(limit)).toBe(0))
})

test.each<[string, () => Response]>([
  ['was read before', () => read],
  ['is that of a polyfill', () => ({ ...polyfill, body: { pipe() {} } }) as unknown as Response],
  [
    'has a status that a copy cannot have',
    () => ({ ...polyfill, status: 600, body: new Response('x').body }) as unknown as Response,
  ],
])('a lease ends with the handler if the response %s', async (_, respond) => {
  const limit = rateLimit({ policies: slots, key: 'all', count: 'failures' })
  await read.text().catch(() => {})
  await expect(limit.run(request(), respond)).rejects.toThrow(Error)
  await vi.waitFor(async () => expect(await usedOf(limit)).toBe(0))
})

const read = new Response('read')
const polyfill = { status: 200, bodyUsed: false, headers: new Headers() }

test('a copy for a lease keeps the status, the headers and all cookies', async () => {
  const limit = rateLimit({ policies: slots, key: 'all' })
  const original = new Response('hello', {
    status: 201,
    statusText: 'Made',
    headers: { 'x-own': 'kept' },
  })
  original.headers.append('set-cookie', 'a=1')
  original.headers.append('set-cookie', 'b=2')
  const response = await limit.run(request(), () => original)
  expect([response.status, response.statusText, response.headers.get('x-own')]).toEqual([
    201,
    'Made',
    'kept',
  ])
  expect(response.headers.getSetCookie()).toEqual(['a=1', 'b=2'])
  expect([await response.text(), response.headers.get('ratelimit')]).toEqual([
    'hello',
    '"default";r=4',
  ])
})
