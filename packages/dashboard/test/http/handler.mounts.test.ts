import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { Router } from '@koa/router'
import { Module } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import { ExpressAdapter } from '@nestjs/platform-express'
import { FastifyAdapter } from '@nestjs/platform-fastify'
import { createLimiter } from '@sluice/core'
import express from 'express'
import fastify, { type FastifyInstance } from 'fastify'
import Koa from 'koa'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Dashboard } from '../../src/index.js'
import { clientOf, openDashboard } from '../served.js'

/** Mounts a dashboard in an application, and returns the address of the server. The application itself answers `/own`. */
type Mount = (dashboard: Dashboard) => Promise<string>

async function started(
  listener: (...request: Parameters<RequestListener>) => unknown,
): Promise<string> {
  const server = createServer((request, response) => void listener(request, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** The middleware of Koa, as its page shows it. */
function mountInKoa(app: Koa, { handler }: Dashboard): ReturnType<Koa['callback']> {
  app.use(async (ctx, next) => {
    if (!/^\/limits(?:\/|$)/.test(ctx.path)) return next()
    ctx.respond = false
    handler(Object.assign(ctx.req, { body: Reflect.get(ctx.request, 'body') }), ctx.res)
  })
  return app.use(own).callback()
}

const own: Koa.Middleware = (ctx) => {
  ctx.body = 'own'
}

/** The route of Fastify, as its page shows it. */
function mountInFastify(app: FastifyInstance, path: string, { handler }: Dashboard): void {
  for (const url of [path, `${path}/*`]) {
    app.all(url, async (request, reply) => {
      reply.hijack()
      handler(Object.assign(request.raw, { body: request.body }), reply.raw)
    })
  }
}

async function listening(app: FastifyInstance): Promise<string> {
  app.get('/own', () => 'own')
  onTestFinished(async () => app.close())
  return app.listen({ port: 0, host: '127.0.0.1' })
}

@Module({})
class Empty {
  readonly isEmpty = true
}

async function nest(
  adapter: ExpressAdapter | FastifyAdapter,
  { handler }: Dashboard,
): Promise<string> {
  const app = await NestFactory.create(Empty, adapter, { logger: false })
  app.use('/limits', handler)
  app.getHttpAdapter().get('/own', (_request: unknown, response: { send(text: string): void }) => {
    response.send('own')
  })
  await app.listen(0, '127.0.0.1')
  onTestFinished(async () => app.close())
  return app.getUrl()
}

const mounts: readonly (readonly [name: string, path: string, Mount])[] = [
  [
    'http, at the root',
    '',
    async ({ handler }) =>
      started((request, response) => {
        if (request.url === '/own') response.end('own')
        else handler(request, response)
      }),
  ],
  [
    'http, at a path',
    '/limits',
    async ({ handler }) =>
      started((request, response) => {
        if (request.url?.startsWith('/limits') === true) handler(request, response)
        else response.end('own')
      }),
  ],
  [
    'a gateway that strips a prefix',
    '/public/limits',
    async ({ handler }) => {
      return started((request, response) => {
        request.url = request.url?.replace('/public', '')
        if (request.url === '/own') response.end('own')
        else handler(request, response)
      })
    },
  ],
  [
    'Express',
    '/limits',
    async ({ handler }) => {
      const app = express()
      app.use('/limits', handler)
      return started(app.get('/own', (_request, response) => void response.send('own')))
    },
  ],
  [
    'Express, in nested routers, after express.json',
    '/admin/limits',
    async ({ handler }) => {
      const router = express.Router()
      router.use('/limits', handler)
      const app = express().use(express.json()).use('/admin', router)
      return started(app.get('/own', (_request, response) => void response.send('own')))
    },
  ],
  [
    'Express, as a route',
    '/limits',
    async ({ handler }) => {
      const app = express()
      app.all(['/limits', '/limits/*path'], handler)
      return started(app.get('/own', (_request, response) => void response.send('own')))
    },
  ],
  ['Koa', '/limits', async (dashboard) => started(mountInKoa(new Koa(), dashboard))],
  [
    'Koa, behind a body parser',
    '/limits',
    async (dashboard) => {
      const app = new Koa().use(async (ctx, next) => {
        if (ctx.method === 'POST') Reflect.set(ctx.request, 'body', await json(ctx.req))
        return next()
      })
      return started(mountInKoa(app, dashboard))
    },
  ],
  [
    'Koa, in a router',
    '/admin/limits',
    async ({ handler }) => {
      const router = new Router({ prefix: '/admin' })
      router.all('/limits{/*path}', async (ctx) => {
        ctx.respond = false
        handler(ctx.req, ctx.res)
      })
      return started(new Koa().use(router.routes()).use(own).callback())
    },
  ],
  [
    'Fastify',
    '/limits',
    async (dashboard) => {
      const app = fastify()
      mountInFastify(app, '/limits', dashboard)
      return listening(app)
    },
  ],
  [
    'Fastify, in a plugin with a prefix',
    '/admin/limits',
    async (dashboard) => {
      const app = fastify()
      await app.register(
        (scope, _options, done) => {
          mountInFastify(scope, '/limits', dashboard)
          done()
        },
        { prefix: '/admin' },
      )
      return listening(app)
    },
  ],
  ['NestJS on Express', '/limits', async (dashboard) => nest(new ExpressAdapter(), dashboard)],
  ['NestJS on Fastify', '/limits', async (dashboard) => nest(new FastifyAdapter(), dashboard)],
]

describe.each(mounts)('%s', (_, path, mount) => {
  test('the page, its files and its data are at the mount', async () => {
    const limiter = createLimiter({ name: 'mounted', limit: 1, window: '1m' })
    const base = await mount(openDashboard({ limiters: { limiter } }))

    const page = await fetch(`${base}${path}/`)
    expect([page.status, page.headers.get('content-type')]).toEqual([
      200,
      'text/html; charset=utf-8',
    ])
    for (const file of ['app.js', 'style.css', 'parts/chart.js']) {
      expect([file, (await fetch(`${base}${path}/${file}`)).status]).toEqual([file, 200])
    }
    const board = clientOf(`${base}${path}/`)
    limiter.consume('ann')
    limiter.consume('ann')
    expect((await board.view()).limiters[0].denied).toMatchObject([{ key: 'ann' }])
    const acted = await board.act({
      limiter: 'mounted',
      key: 'ann',
      act: 'reset',
      reason: 'a test',
    })
    expect([acted.status, acted.body.key?.policies[0].used]).toEqual([200, 0])
    const missing = await fetch(`${base}${path}/api/nothing`)
    expect([missing.status, await missing.json()]).toMatchObject([
      404,
      { error: { code: 'SLUICE_VIEW_PATH_UNKNOWN' } },
    ])
    const head = await fetch(`${base}${path}/`, { method: 'HEAD' })
    expect([head.status, await head.text()]).toEqual([200, ''])
    expect(await (await fetch(`${base}/own`)).text()).toBe('own')
  })

  test('a failure of the dashboard does not reach the application', async () => {
    const limiter = createLimiter({ name: 'mounted', limit: 1, window: '1m' })
    const base = await mount(openDashboard({ limiters: { limiter }, authorize: () => undefined }))
    for (const file of ['/', '/app.js', '/api/view']) {
      const answer = await fetch(`${base}${path}${file}`)
      expect([answer.status, await answer.json()]).toMatchObject([
        403,
        { error: { code: 'SLUICE_VIEW_FORBIDDEN' } },
      ])
    }
  })
})

test.each(mounts.filter(([, path]) => path !== ''))(
  '%s: without the slash, the visitor is sent to the page',
  async (_, path, mount) => {
    const base = await mount(openDashboard({}))
    const bare = await fetch(`${base}${path}?from=a`, { redirect: 'manual' })
    expect([bare.status, bare.headers.get('location')]).toEqual([302, './limits/'])
    const page = await fetch(`${base}${path}`)
    expect([page.status, page.url]).toEqual([200, `${base}${path}/`])
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'")
  },
)
