import { fixedWindow } from '@sluice/core'
import { expect, test } from 'vitest'
import {
  byRoute,
  rateLimit,
  rateLimitContext,
  type RequestDecision,
  type RouterArguments,
} from '../src/react-router.js'

const policies = fixedWindow({ limit: 2, window: '1m' })

/** The arguments of a middleware, with a context like that of React Router. */
function argumentsOf(headers: Record<string, string> = {}): RouterArguments {
  const values = new Map<object, RequestDecision | null>()
  return {
    request: new Request('http://host/teams/7', { headers }),
    params: { team: '7' },
    pattern: '/teams/:team',
    context: {
      set: (key, value) => void values.set(key, value),
      // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- as in React Router
      get: <T>(key: object) => values.get(key) as T,
    },
  }
}

const page = async (): Promise<Response> => new Response('page')

test('without the option address, a request fails with advice for React Router', async () => {
  await expect(rateLimit({ policies })(argumentsOf(), page)).rejects.toMatchObject({
    code: 'SLUICE_ADDRESS_MISSING',
    message: expect.stringContaining('address: ({ context }) => context.get(addressContext)'),
  })
})

test('the middleware limits by the address that its option names, and writes the headers', async () => {
  const middleware = rateLimit({ policies, address: { proxies: 1 } })
  const responses = []
  for (const forged of ['10.0.0.1', '10.0.0.2', '10.0.0.3']) {
    const args = argumentsOf({ 'x-forwarded-for': `${forged}, 192.0.2.1` })
    responses.push(await middleware(args, page))
  }
  expect(responses.map(({ status }) => status)).toEqual([200, 200, 429])
  expect(responses[0].headers.get('ratelimit')).toBe('"default";r=1;t=60')
})

test('the decision is in the context, and the route is the pattern of React Router', async () => {
  const middleware = rateLimit({ policies, key: byRoute() })
  const args = argumentsOf()
  expect(await middleware.keyOf(args)).toEqual(['route', 'GET', '/teams/:team'])
  expect(args.context.get(rateLimitContext)).toBeUndefined()
  await middleware(args, page)
  expect(args.context.get(rateLimitContext)).toMatchObject({ limit: 2, remaining: 1 })
})

test('a thrown Response is the response, and counts by its status', async () => {
  const middleware = rateLimit({ policies, key: 'all', count: 'failures' })
  const response = await middleware(argumentsOf(), async () => {
    // oxlint-disable-next-line typescript/only-throw-error -- loaders do
    throw new Response('no', { status: 302, headers: { location: '/login' } })
  })
  expect([response.status, response.headers.has('ratelimit')]).toEqual([302, true])
  expect((await middleware.limiter.status('all')).policies['default'].used).toBe(0)
})
