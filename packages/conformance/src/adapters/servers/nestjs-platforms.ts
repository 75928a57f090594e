import type { AbstractHttpAdapter } from '@nestjs/core'
import { ExpressAdapter } from '@nestjs/platform-express'
import { FastifyAdapter } from '@nestjs/platform-fastify'
import type { Request, Response } from 'express'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Answer, App, Visit } from '../adapter.js'
import * as express from './express.js'
import * as fastify from './fastify.js'

/** The HTTP framework under Nest, which the handlers of the application use directly. */
export interface Platform<Q, S> {
  create(app: App): AbstractHttpAdapter
  visited(app: App, request: Q, response: S, keyOf: Visit['keyOf']): Promise<unknown>
  send(response: S, answer: Answer): void
}

export const onExpress: Platform<Request, Response> = {
  create(app) {
    const adapter = new ExpressAdapter()
    adapter.set('trust proxy', app.proxies)
    adapter.use(express.arriving(app))
    return adapter
  },
  visited: express.visited,
  send: (response, answer) => {
    if (!response.headersSent) express.send(response, answer)
  },
}

export const onFastify: Platform<FastifyRequest, FastifyReply> = {
  create(app) {
    const adapter = new FastifyAdapter(fastify.optionsFor(app))
    // Nest has its own Fastify, whose types differ from ours for the compiler.
    const instance = adapter.getInstance<FastifyInstance>()
    instance.decorateRequest('user')
    instance.addHook('onRequest', (request, reply, done) => {
      fastify.arrive(app, request, reply)
      done()
    })
    return adapter
  },
  visited: fastify.visited,
  send: (reply, answer) => {
    if (!reply.sent) fastify.send(reply, answer)
  },
}
