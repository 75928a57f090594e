import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Module } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify'
import { rateLimit as expressLimit } from '@sluice/express'
import { rateLimit as fastifyLimit } from '@sluice/fastify'
import { rateLimit as fetchLimit } from '@sluice/fetch'
import { rateLimit as honoLimit } from '@sluice/hono'
import { rateLimit as koaLimit } from '@sluice/koa'
import express from 'express'
import fastify from 'fastify'
import { Hono } from 'hono'
import Koa from 'koa'
import { expect, onTestFinished, test } from 'vitest'

// An application that uses the package of another framework, or a package in another way than the page says, learns what to do.

const options = { limit: 1, window: '1m' } as const

@Module({})
class Empty {
  readonly isEmpty = true
}

async function nestOnFastify(): Promise<NestFastifyApplication> {
  const app = await NestFactory.create<NestFastifyApplication>(Empty, new FastifyAdapter(), {
    logger: false,
  })
  onTestFinished(async () => app.close())
  return app
}

async function statusesOf(app: NestFastifyApplication, times: number): Promise<number[]> {
  await app.listen(0, '127.0.0.1')
  const statuses: number[] = []
  while (statuses.length < times) statuses.push((await fetch(await app.getUrl())).status)
  return statuses
}

test.each([options, { ...options, key: 'all' }])(
  'the middleware of Express refuses the requests of NestJS on Fastify: %j',
  async (own) => {
    const thrown: unknown[] = []
    const app = await nestOnFastify()
    const limit = expressLimit(own)
    app.use((...request: Parameters<typeof limit>) => {
      try {
        limit(...request)
      } catch (error) {
        thrown.push(error)
        throw error
      }
    })
    expect(await statusesOf(app, 1)).toEqual([500])
    expect(thrown).toMatchObject([
      {
        code: 'SLUICE_REQUEST_INVALID',
        message: expect.stringContaining('app.register(rateLimit, { … }) of @sluice/fastify'),
      },
    ])
  },
)

test('the plugin of Fastify limits NestJS on Fastify, with the requests that match no route', async () => {
  const app = await nestOnFastify()
  // The types of the version of Fastify that the platform has are others.
  await app.register(fastifyLimit as never, options)
  expect(await statusesOf(app, 2)).toEqual([404, 429])
})

/** The error of an application that passes `rateLimit` itself in place of the middleware that it returns. */
const uncalled: Record<string, () => Promise<unknown>> = {
  Express: async () => errorInExpress(expressLimit),
  async Koa() {
    const app = new Koa().use(koaLimit as never)
    return errorOf((report) => app.on('error', report).callback())
  },
  async Fastify() {
    const app = fastify()
    await app.register(fastifyLimit, options)
    const thrown: unknown[] = []
    app.setErrorHandler((error) => thrown.push(error))
    app.get('/', { onRequest: app.sluice as never }, () => 'hello')
    await app.inject('/')
    return thrown[0]
  },
  async Hono() {
    const app = new Hono().use(honoLimit as never)
    const thrown: unknown[] = []
    app.onError((error, context) => {
      thrown.push(error)
      return context.text('failed', 500)
    })
    await app.request('/')
    return thrown[0]
  },
  async fetch() {
    try {
      return fetchLimit(new Request('http://localhost/') as never)
    } catch (error) {
      return error
    }
  },
}

/** The error of a middleware in Express. */
async function errorInExpress(middleware: unknown): Promise<unknown> {
  const app = express().use(middleware as never)
  return errorOf((report) => {
    app.use(((error, _request, response, _next) => {
      report(error)
      response.end()
    }) satisfies express.ErrorRequestHandler)
    return app
  })
}

/** The error that an application reports for a request. */
async function errorOf(
  create: (report: (error: unknown) => void) => RequestListener,
): Promise<unknown> {
  const thrown: unknown[] = []
  const server = createServer(create((error) => thrown.push(error))).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  await fetch(`http://127.0.0.1:${port}`, { headers: { connection: 'close' } })
  return thrown[0]
}

test.each(Object.entries(uncalled))('%s: rateLimit without a call', async (_, errorOf) => {
  expect(await errorOf()).toMatchObject({
    code: 'SLUICE_OPTIONS_INVALID',
    message: expect.stringContaining('Call it: app.use(rateLimit({ … })), or in Fastify'),
  })
})

test('the plugin of Fastify is registered without a call', async () => {
  const app = fastify()
  const misplaced: unknown = Reflect.apply(fastifyLimit, undefined, [options])
  await expect(async () => app.register(misplaced as never)).rejects.toMatchObject({
    code: 'SLUICE_OPTIONS_INVALID',
    message: expect.stringContaining('await app.register(rateLimit, {'),
  })
})

test.each([
  ['hono', honoLimit(options), 'SLUICE_REQUEST_INVALID', 'the request is one of Node.js'],
  ['koa', koaLimit(options), 'SLUICE_REQUEST_INVALID', 'the request is one of Node.js'],
  ['fetch', fetchLimit(options), 'SLUICE_OPTION_INVALID', '"handler" is a request of Node.js'],
])(
  'the middleware of %s fails in Express, and names its package',
  async (_, middleware, code, shown) => {
    const error = await errorInExpress(middleware)
    expect(error).toMatchObject({ code, message: expect.stringContaining(shown) })
    expect(error).toMatchObject({ message: expect.stringContaining('@sluice/express') })
  },
)
