import { createStaticHandler, data, redirect, RouterContextProvider } from 'react-router'
import { expect, test } from 'vitest'
import { byRoute, fixedWindow, rateLimit, rateLimitContext } from '../../fetch/src/react-router.js'

function limitOf(limit: number, count: 'all' | 'failures' = 'all'): ReturnType<typeof rateLimit> {
  return rateLimit({ policies: fixedWindow({ limit, window: '1m' }), key: byRoute(), count })
}

/** Answers a request for a resource route, as the server of the framework mode does. */
async function answerOf(
  middleware: ReturnType<typeof rateLimit>,
  loader: (args: { context: Readonly<RouterContextProvider> }) => unknown,
): Promise<Response> {
  const { queryRoute } = createStaticHandler([
    { path: '/teams/:team', id: 'team', middleware: [middleware], loader },
  ])
  const response: unknown = await queryRoute(new Request('http://host/teams/7'), {
    requestContext: new RouterContextProvider(),
    generateMiddlewareResponse: async (query) => {
      const result: unknown = await query(new Request('http://host/teams/7'))
      return result instanceof Response ? result : Response.json(result)
    },
  })
  if (!(response instanceof Response)) throw new Error('no response')
  return response
}

test('the middleware runs in React Router, and a loader finds the decision', async () => {
  const middleware = limitOf(2)
  const loader = ({ context }: { context: Readonly<RouterContextProvider> }): Response =>
    Response.json({ left: context.get(rateLimitContext)?.remaining })
  const first = await answerOf(middleware, loader)
  expect([await first.json(), first.headers.get('ratelimit')]).toEqual([
    { left: 1 },
    '"default";r=1;t=60',
  ])
  const statuses = [await answerOf(middleware, loader), await answerOf(middleware, loader)]
  expect(statuses.map(({ status }) => status)).toEqual([200, 429])
})

test('a redirect and a Response that a loader throws count by their statuses', async () => {
  const middleware = limitOf(1, 'failures')
  const redirecting = await answerOf(middleware, () => {
    const redirection: unknown = redirect('/login')
    throw redirection
  })
  expect([redirecting.status, redirecting.headers.get('ratelimit')]).toEqual([
    302,
    '"default";r=0;t=60',
  ])
  const failed = await answerOf(middleware, () => {
    // oxlint-disable-next-line typescript/only-throw-error -- loaders do
    throw new Response('no', { status: 404 })
  })
  expect(failed.status).toBe(404)
  expect((await answerOf(middleware, () => data('called'))).status).toBe(429)
})
