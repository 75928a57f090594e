// Limits of handlers that take a Request and return a Response.
import assert from 'node:assert/strict'
// #region routes
import { decisionOf, memoryStore, rateLimit } from '@sluice/fetch'

const store = memoryStore()

// All requests: 100 a minute for each client.
const all = rateLimit({ name: 'all', limit: 100, window: '1m', store })

// One route: also 5 a minute.
const reports = rateLimit({ name: 'reports', limit: 5, window: '1m', store })

const createReport = reports(() => new Response('Created.', { status: 201 }))

export const handler = all((request) => {
  const { pathname } = new URL(request.url)
  if (pathname === '/reports') return createReport(request)
  return new Response(`${decisionOf(request)?.remaining} requests left`)
})
// #endregion
import { getRequestListener } from '@hono/node-server'
import { statuses, visit } from './check/visit.js'

const server = getRequestListener(handler)
await visit(
  (request, response) => void server(request, response),
  async (ask) => {
    assert.equal(await (await ask('/')).text(), '99 requests left')
    assert.deepEqual(await statuses(ask, 6, '/reports'), [...Array(5).fill(201), 429])
    const denied = await ask('/reports')
    assert.match(denied.headers.get('RateLimit') ?? '', /^"all";r=92;t=\d+, "reports";r=0;t=\d+$/)
  },
)
