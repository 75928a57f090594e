import { describe, expect, test, vi } from 'vitest'
import { fixedWindow } from '@sluice/core'
import { byRoute, rateLimit, type HandleInput, type SvelteKitEvent } from '../src/sveltekit.js'

const policies = fixedWindow({ limit: 2, window: '1m' })

interface Given extends Partial<SvelteKitEvent> {
  readonly headers?: Record<string, string>
}

function eventOf({ headers = {}, ...others }: Given = {}): SvelteKitEvent {
  const request = new Request('http://host/blog/7', { headers })
  return {
    request,
    locals: {},
    params: { slug: '7' },
    route: { id: '/blog/[slug]' },
    url: new URL(request.url),
    platform: undefined,
    getClientAddress: () => '192.0.2.1',
    ...others,
  }
}

function inputOf(
  event: SvelteKitEvent,
  resolve: () => Response | Promise<Response> = () => new Response('page'),
): HandleInput<SvelteKitEvent> {
  return { event, resolve }
}

test('the hook limits by the address that SvelteKit reports, and a forged header changes nothing', async () => {
  const handle = rateLimit({ policies })
  const statuses: number[] = []
  for (const forged of ['198.51.100.1', '198.51.100.2', '198.51.100.3']) {
    const event = eventOf({ headers: { 'x-forwarded-for': forged } })
    statuses.push((await handle(inputOf(event))).status)
  }
  expect(statuses).toEqual([200, 200, 429])
  const other = eventOf({ getClientAddress: () => '192.0.2.2' })
  expect((await handle(inputOf(other))).headers.get('ratelimit')).toBe('"default";r=1;t=60')
})

test('resolve receives the event, whose locals have the decision', async () => {
  const resolve = vi.fn(
    ({ locals }: SvelteKitEvent) => new Response(`${locals.rateLimit?.remaining}`),
  )
  const event = eventOf()
  const response = await rateLimit({ policies })({ event, resolve })
  expect([await response.text(), resolve.mock.calls]).toEqual(['1', [[event]]])
})

test('the route is the id of SvelteKit, and a request without one is an error', async () => {
  const handle = rateLimit({ policies, key: byRoute() })
  expect(await handle.keyOf(eventOf())).toEqual(['route', 'GET', '/blog/[slug]'])
  await expect(async () => handle.keyOf(eventOf({ route: { id: null } }))).rejects.toThrow(
    expect.objectContaining({ code: 'SLUICE_ROUTE_MISSING' }),
  )
})

test('without an address, a request fails', async () => {
  const handle = rateLimit({ policies })
  const event = eventOf({
    getClientAddress: () => {
      throw new Error('Cannot read clientAddress during prerendering')
    },
  })
  await expect(async () => handle(inputOf(event))).rejects.toThrow(
    expect.objectContaining({
      code: 'SLUICE_ADDRESS_MISSING',
      message: expect.stringContaining('getClientAddress() of SvelteKit'),
    }),
  )
})

describe('a refund', () => {
  test.each([
    ['redirect()', { status: 303, location: '/' }, 0],
    ['error(404)', { status: 404, body: { message: 'no' } }, 1],
    ['an error with a status of its own', Object.assign(new Error('x'), { status: 200 }), 1],
  ])(
    'after %s in another hook follows its status, and it passes through',
    async (_, thrown, used) => {
      const handle = rateLimit({ policies, key: 'all', count: 'failures' })
      const input = inputOf(eventOf(), async () => {
        // oxlint-disable-next-line typescript/only-throw-error -- SvelteKit does
        throw thrown
      })
      await expect(handle(input)).rejects.toBe(thrown)
      const usedOf = async (): Promise<number> =>
        (await handle.limiter.status('all')).policies['default'].used
      await vi.waitFor(async () => expect(await usedOf()).toBe(used))
    },
  )

  test.each([['ctx'], ['context']])('reaches waitUntil of platform.%s', async (name) => {
    const waitUntil = vi.fn()
    const handle = rateLimit({ policies, key: 'all', count: 'failures' })
    await handle(inputOf(eventOf({ platform: { [name]: { waitUntil } } })))
    expect(waitUntil.mock.calls.length).toBe(1)
  })
})
