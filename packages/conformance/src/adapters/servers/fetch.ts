import { Readable } from 'node:stream'
import { getRequestListener, type Http2Bindings, type HttpBindings } from '@hono/node-server'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import {
  decisionOf,
  rateLimit,
  type OnDenied,
  type Platform,
  type RateLimit,
  type UserId,
} from '@sluice/fetch'
import {
  optionsOf,
  type Adapter,
  type Answer,
  type App,
  type Denier,
  type OptionsFor,
  type Readers,
} from '../adapter.js'
import { listening } from './listening.js'

/** Handlers of web Requests, on a server of Node. */
export const fetch: readonly Adapter[] = [
  {
    name: 'fetch on @hono/node-server',
    protocol: 'HTTP/1.1',
    followsPromises: true,
    writesResponse: false,
    answersWrongRequests: true,
    async serve(app) {
      const limits = limitsOf(app)
      const listener = getRequestListener(handlerOf(app, limits), { overrideGlobalObjects: false })
      return listening((request, response) => void listener(request, response), limits[0].limiter)
    },
  },
]

type Limits = readonly [RateLimit, ...RateLimit[]]
type Bindings = HttpBindings | Http2Bindings
type Handler = (request: Request, env: Bindings) => Promise<Response>

function limitsOf(app: App): Limits {
  const limitOf = (options: OptionsFor): RateLimit =>
    rateLimit({ ...addressOf(app), ...optionsOf(options, readers, onDenied) })
  const first = limitOf(app.options)
  return app.second === undefined ? [first] : [first, limitOf(app.second)]
}

/** The option for the number of proxies that an application trusts. */
export function addressOf({ proxies }: App): { readonly address?: { readonly proxies: number } } {
  return proxies === 0 ? {} : { address: { proxies } }
}

const users = new WeakMap<Request, UserId>()

const readers: Readers<Request> = {
  header: (request, name) => request.headers.get(name) ?? undefined,
  query: (request, name) => parsedQuery(new URL(request.url).searchParams.getAll(name)),
  user: (request) => users.get(request) ?? null,
}

/** A value of the query as most frameworks parse it: a parameter that is repeated is a list. The type says string, as applications assume. */
export function parsedQuery(values: readonly string[]): string {
  const parsed: unknown = values.length > 1 ? values : values[0]
  return parsed as string
}

function onDenied(deny: Denier): OnDenied<Request> {
  return async (_request, next, decision) => {
    const answer = await deny(decision)
    return answer === undefined ? next() : responseOf(answer)
  }
}

/** A handler with its limits, of which the first is outermost. */
function limited(handler: Handler, limits: Limits, place: App['place']): Handler {
  return limits.reduceRight<Handler>((inner, limit) => {
    if (place === 'app') return limit(inner)
    return async (request, env) =>
      limit.run(request, async () => inner(request, env), platformOf(env))
  }, handler)
}

/** The address and the route of a request, as a router passes them. */
function platformOf({ incoming }: Bindings): Platform {
  return { address: incoming.socket.remoteAddress, route: '/items/:id' }
}

function handlerOf(app: App, limits: Limits): Handler {
  const items = app.place === 'route' ? limited(handle, limits, 'route') : handle
  const all = app.place === 'app' ? limited(route, limits, 'app') : route
  return async function arriving(request, env) {
    app.first({
      header: (name) => request.headers.get(name) ?? undefined,
      response: env.outgoing,
      login: (user) => users.set(request, user),
    })
    return handled(async () => all(request, env))
  }

  /** An application handles the errors of its handlers behind the limits, so that the responses have their headers, and those of the limits in front. */
  async function handled(call: () => Promise<Response>): Promise<Response> {
    if (app.handling === 'framework') return call()
    try {
      return await call()
    } catch (error) {
      return responseOf(app.failed(error))
    }
  }

  async function route(request: Request, env: Bindings): Promise<Response> {
    const { pathname } = new URL(request.url)
    if (pathname.startsWith('/items/')) return items(request, env)
    return pathname === '/' ? handle(request, env) : new Response('Not Found', { status: 404 })
  }

  async function handle(request: Request, env: Bindings): Promise<Response> {
    return handled(async () => visited(request, env))
  }

  async function visited(request: Request, env: Bindings): Promise<Response> {
    const answer = await app.handle({
      header: (name) => request.headers.get(name) ?? undefined,
      response: env.outgoing,
      decision: decisionOf(request),
      keyOf: () => limits[0].keyOf(request, platformOf(env)),
    })
    return answer === undefined ? RESPONSE_ALREADY_SENT : responseOf(answer)
  }
}

export function responseOf({ status, type, body }: Answer): Response {
  const init = { status, headers: { 'Content-Type': type } }
  return typeof body === 'string' ? new Response(body, init) : new Response(webBody(body), init)
}

// The types of a web stream in Node and in the global Response differ.
function webBody(body: Readable): ReadableStream<Uint8Array> {
  const stream: ReadableStream = Readable.toWeb(body)
  return stream
}
