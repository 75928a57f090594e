// @ts-nocheck -- the session is that of the application
// The page that shows who is limited, on node:http, Koa and Fastify.
import assert from 'node:assert/strict'
import { json } from 'node:stream/consumers'
// #region http
// #region koa
// #region fastify
import { createDashboard } from '@sluice/dashboard'
// #endregion
// #endregion
// #endregion
import { createLimiter } from '@sluice/core'
import { visit } from './check/visit.js'

const isAdmin = (request) => request.headers.authorization === 'Bearer secret'
const limiter = createLimiter({ name: 'api', limit: 100, window: '1m' })
// #region http
// #region koa
// #region fastify

const dashboard = createDashboard({
  limiters: { api: limiter },
  authorize: (request) => (isAdmin(request) ? 'write' : undefined),
})
// #endregion
// #endregion
// #endregion

const headers = {
  authorization: 'Bearer secret',
  'content-type': 'application/json',
  'x-sluice': '1',
}
const reset = { limiter: 'api', key: 'ann', act: 'reset', reason: 'a test' }
const post = { method: 'POST', headers, body: JSON.stringify(reset) }

async function check(ask) {
  assert.equal((await ask('/limits/api/view')).status, 403)
  assert.equal((await ask('/limits/api/view', { headers })).status, 200)
  assert.equal((await ask('/limits/api/act', post)).status, 200)
  const bare = await ask('/limits', { headers, redirect: 'manual' })
  assert.equal(bare.headers.get('location'), './limits/')
}
// #region http
import { createServer } from 'node:http'

const server = createServer((request, response) => {
  if (request.url?.startsWith('/limits')) dashboard.handler(request, response)
  else response.end('Hello.\n')
})
// #endregion
await visit((request, response) => void server.emit('request', request, response), check)
// #region koa
import Koa from 'koa'

const app = new Koa()
app.use((ctx, next) => {
  if (!/^\/limits(\/|$)/.test(ctx.path)) return next()
  ctx.respond = false
  // A body parser before this may have read the body already.
  dashboard.handler(Object.assign(ctx.req, { body: ctx.request.body }), ctx.res)
})
// #endregion
await visit(app.callback(), check)

const behindParser = new Koa().use(async (ctx, next) => {
  if (ctx.method === 'POST') ctx.request.body = await json(ctx.req)
  return next()
})
for (const middleware of app.middleware) behindParser.use(middleware)
await visit(behindParser.callback(), check)
// #region fastify
import fastify from 'fastify'

const api = fastify()
for (const path of ['/limits', '/limits/*']) {
  api.all(path, (request, reply) => {
    reply.hijack()
    // Fastify has read the body already.
    dashboard.handler(Object.assign(request.raw, { body: request.body }), reply.raw)
  })
}
// #endregion
const address = await api.listen({ port: 0, host: '127.0.0.1' })
await check((path, init) => fetch(`${address}${path}`, init))
await api.close()
await dashboard.close()
