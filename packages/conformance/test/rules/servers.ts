import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Router } from '@koa/router'
import { Controller, Get, Header } from '@nestjs/common'
import { NestFactory, type AbstractHttpAdapter } from '@nestjs/core'
import { ExpressAdapter } from '@nestjs/platform-express'
import { FastifyAdapter } from '@nestjs/platform-fastify'
import * as onExpress from '@sluice/express'
import * as onFastify from '@sluice/fastify'
import * as onKoa from '@sluice/koa'
import { RateLimitModule } from '@sluice/nestjs'
import type { LoadedRules } from '@sluice/rules'
import express5, { type Express } from 'express'
import express4 from 'express4'
import { fastify } from 'fastify'
import Koa from 'koa'
import { onTestFinished } from 'vitest'

/** The routes of every server by their ids, as documents of rules write them. */
export const routes = {
  literal: '/api/search',
  param: '/users/:id/posts',
  last: '/find/:term',
  wild: '/files/**',
} as const

/** An application of one framework with all routes behind one middleware. Each route answers with its id in the header `x-route`. */
export interface RuledServer {
  readonly name: string
  serve(rules: LoadedRules<unknown>): Promise<number>
}

export const servers: readonly RuledServer[] = [
  { name: 'Express 4', serve: (rules) => ofExpress(express4, rules, '*') },
  { name: 'Express 5', serve: (rules) => ofExpress(express5, rules, '*rest') },
  { name: 'Koa', serve: ofKoa },
  { name: 'Fastify', serve: ofFastify },
  { name: 'NestJS on Express', serve: (rules) => ofNest(rules, new ExpressAdapter(), '*rest') },
  { name: 'NestJS on Fastify', serve: (rules) => ofNest(rules, new FastifyAdapter(), '*') },
]

function ofExpress(
  create: () => Express,
  rules: LoadedRules<unknown>,
  star: string,
): Promise<number> {
  const app = create()
  app.use(onExpress.rateLimit({ rules }))
  for (const [id, path] of Object.entries(routes)) {
    app.get(path.replace('**', star), (_request, response) => {
      response.set('x-route', id).send('served')
    })
  }
  return listening(app)
}

function ofKoa(rules: LoadedRules<unknown>): Promise<number> {
  const app = new Koa()
  app.silent = true
  app.use(onKoa.rateLimit({ rules }))
  const router = new Router()
  for (const [id, path] of Object.entries(routes)) {
    router.get(path.replace('**', '{*rest}'), (context) => {
      context.set('x-route', id)
      context.body = 'served'
    })
  }
  app.use(router.routes())
  return listening((request, response) => void app.callback()(request, response))
}

async function ofFastify(rules: LoadedRules<unknown>): Promise<number> {
  const app = fastify({ forceCloseConnections: true })
  await app.register(onFastify.rateLimit, { rules })
  for (const [id, path] of Object.entries(routes)) {
    app.get(path.replace('**', '*'), async (_request, reply) => {
      reply.header('x-route', id)
      return 'served'
    })
  }
  await app.listen({ port: 0, host: '127.0.0.1' })
  onTestFinished(() => app.close())
  return portOf(app.server)
}

// Applies decorators by hand, because the tests are compiled with standard decorators and Nest's are experimental.
async function ofNest(
  rules: LoadedRules<unknown>,
  http: AbstractHttpAdapter,
  star: string,
): Promise<number> {
  class Routes {
    literal(): string {
      return 'served'
    }
    param(): string {
      return 'served'
    }
    last(): string {
      return 'served'
    }
    wild(): string {
      return 'served'
    }
  }
  Controller()(Routes)
  for (const [id, path] of Object.entries(routes)) {
    const descriptor = Object.getOwnPropertyDescriptor(Routes.prototype, id) ?? {}
    Get(path.replace('**', star))(Routes.prototype, id, descriptor)
    Header('x-route', id)(Routes.prototype, id, descriptor)
  }
  const module = {
    module: Routes,
    controllers: [Routes],
    imports: [RateLimitModule.forRoot({ rules })],
  }
  const app = await NestFactory.create(module, http, {
    logger: false,
    abortOnError: false,
    forceCloseConnections: true,
  })
  await app.listen(0, '127.0.0.1')
  onTestFinished(() => app.close())
  return portOf(app.getHttpServer())
}

async function listening(listener: RequestListener): Promise<number> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  return portOf(server)
}

function portOf(server: { address(): unknown }): number {
  return (server.address() as AddressInfo).port
}
