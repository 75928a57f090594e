import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import fastifyRateLimit from '@fastify/rate-limit'
import {
  fixedWindow,
  rateLimit as onExpress,
  type FixedWindowOptions,
  type HeaderStyle,
} from '@sluice/express'
import express from 'express'
import { rateLimit as expressRateLimit } from 'express-rate-limit'
import fastify from 'fastify'
import Koa from 'koa'
import koaRateLimit from 'koa-ratelimit'
import { onTestFinished } from 'vitest'

/** A server that notes the status of each of its responses. */
export interface Server {
  readonly url: string
  readonly statuses: number[]
}

/** Starts a server on a free port of the loopback, until the test ends. */
export async function serve(respond: RequestListener): Promise<Server> {
  const statuses: number[] = []
  const server = createServer((request, response) => {
    response.once('finish', () => statuses.push(response.statusCode))
    respond(request, response)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}/`, statuses }
}

/** Two requests in two seconds, limited by Sluice. */
export function sluice(
  headers: HeaderStyle,
  window: FixedWindowOptions = { limit: 2, window: '2s' },
): RequestListener {
  const app = express()
  app.use(onExpress({ policies: fixedWindow(window), headers }))
  return app.use((_request, response) => void response.send('ok'))
}

/** The same, limited by express-rate-limit. */
export function byExpressRateLimit(
  standardHeaders: 'draft-6' | 'draft-7' | 'draft-8' | false,
): RequestListener {
  const app = express()
  app.use(
    expressRateLimit({
      windowMs: 2000,
      limit: 2,
      standardHeaders,
      legacyHeaders: standardHeaders === false,
    }),
  )
  return app.use((_request, response) => void response.send('ok'))
}

/** The same, limited by @fastify/rate-limit. */
export async function byFastifyRateLimit(): Promise<RequestListener> {
  const app = fastify()
  await app.register(fastifyRateLimit, { max: 2, timeWindow: 2000 })
  app.get('/', () => 'ok')
  await app.ready()
  return (request, response) => app.routing(request, response)
}

/** The same, limited by koa-ratelimit. */
export function byKoaRateLimit(): RequestListener {
  const app = new Koa()
  app.use(koaRateLimit({ driver: 'memory', db: new Map(), duration: 2000, max: 2 }))
  app.use((context) => {
    context.body = 'ok'
  })
  const respond = app.callback()
  return (request, response) => void respond(request, response)
}
