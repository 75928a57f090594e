import { rateLimit, type OnDenied } from '@sluice/fastify'
import {
  fastify as createFastify,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
} from 'fastify'
import { after } from '../after.js'
import {
  valueIn,
  valueOf,
  limiterName,
  optionsOf,
  type Adapter,
  type Answer,
  type App,
  type Authenticated,
  type Denier,
  type Readers,
  type Served,
  type Visit,
} from '../adapter.js'
import { portOf } from './listening.js'

export const fastify: readonly Adapter[] = [
  {
    name: 'Fastify 5',
    protocol: 'HTTP/1.1',
    followsPromises: true,
    writesResponse: true,
    answersWrongRequests: false,
    serve: async (app) => served(app, createFastify(optionsFor(app))),
  },
  {
    name: 'Fastify 5 by HTTP/2',
    protocol: 'HTTP/2',
    followsPromises: true,
    writesResponse: true,
    answersWrongRequests: false,
    // The types of HTTP/2 differ, but the used members are the same.
    serve: async (app) =>
      served(app, createFastify({ ...optionsFor(app), http2: true }) as unknown as FastifyInstance),
  },
]

// Fastify trusts the proxy by its address. If a number is given, its later versions trust no proxy.
export function optionsFor({ proxies }: App): {
  trustProxy: string | false
  forceCloseConnections: true
} {
  return { trustProxy: proxies === 1 && '127.0.0.1', forceCloseConnections: true }
}

async function served(app: App, application: FastifyInstance): Promise<Served> {
  application.decorateRequest('user')
  application.addHook('onRequest', (request, reply, done) => {
    arrive(app, request, reply)
    done()
  })
  if (app.handling === 'application') {
    application.setErrorHandler((error, _request, reply) => {
      send(reply, app.failed(error))
    })
  }
  const options = optionsOf(app.options, readers, onDenied)
  const everywhere = app.place === 'app'
  await application.register(rateLimit, everywhere ? options : { global: false })
  const name = everywhere ? undefined : limiterName(options)
  const visit = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> =>
    visited(app, request, reply, () => application.sluice.keyOf(request, name))
  const config = everywhere ? {} : { sluice: options }
  const behind =
    app.second === undefined
      ? {}
      : { preHandler: application.sluice(optionsOf(app.second, readers, onDenied)) }
  application.all('/items/:id', { config, ...behind }, visit)
  application.all('/', behind, visit)
  await application.listen({ port: 0, host: '127.0.0.1' })
  const { sluice: own } = application
  return {
    port: portOf(application.server),
    limiter: () => (everywhere ? own.limiter : own.limiterOf(limiterName(options) ?? '')),
    close: async () => application.close(),
  }
}

const readers: Readers<FastifyRequest> = {
  header: (request, name) => valueOf(request.headers[name]),
  query: (request, name) => valueIn(request.query, name),
  user: (request) => (request as FastifyRequest & Authenticated).user,
}

function onDenied(deny: Denier): OnDenied {
  return (_request, reply, decision) =>
    after(deny(decision), (answer): unknown => (answer === undefined ? true : send(reply, answer)))
}

export function arrive(app: App, request: FastifyRequest, reply: FastifyReply): void {
  app.first({
    header: (name) => valueOf(request.headers[name]),
    response: reply.raw,
    login: (user) => Object.assign(request, { user }),
  })
}

/** The application answers a request that has passed the limiter. */
export async function visited(
  app: App,
  request: FastifyRequest,
  reply: FastifyReply,
  keyOf: Visit['keyOf'],
): Promise<FastifyReply> {
  const answer = await app.handle({
    header: (name) => valueOf(request.headers[name]),
    response: reply.raw,
    decision: request.rateLimit,
    keyOf,
  })
  return answer === undefined ? reply.hijack() : send(reply, answer)
}

export function send(reply: FastifyReply, { status, type, body }: Answer): FastifyReply {
  return reply.code(status).type(type).send(body)
}
