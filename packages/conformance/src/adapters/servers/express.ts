import { pipeline } from 'node:stream'
import { rateLimit, type OnDenied, type UserId } from '@sluice/express'
import express5, {
  type ErrorRequestHandler,
  type Express,
  type Request,
  type RequestHandler,
  type Response,
} from 'express'
import express4 from 'express4'
import { optionsOf, type Adapter, type Answer, type App, type Readers } from '../adapter.js'
import { listening } from './listening.js'

declare global {
  namespace Express {
    interface Request {
      user: UserId
    }
  }
}

export const express: readonly Adapter[] = [
  adapter('Express 4', express4),
  adapter('Express 5', express5),
]

function adapter(name: string, create: () => Express): Adapter {
  return { name, protocol: 'HTTP/1.1', serve: async (app) => listening(applicationOf(create, app)) }
}

function applicationOf(create: () => Express, app: App): Express {
  const application = create()
  application.set('trust proxy', app.proxies)
  application.use(firstOf(app))
  const limit = rateLimit(optionsOf(app, expressReaders, onDenied))
  if (app.place === 'app') application.use(limit)
  const handler = handlerOf(app)
  application.all('/items/:id', ...(app.place === 'route' ? [limit, handler] : [handler]))
  application.all('/', handler)
  application.use(errorHandlerOf(app))
  return application
}

export const expressReaders: Readers<Request> = {
  header: (request, name) => request.get(name),
  user: (request) => request.user,
}

function onDenied(deny: Parameters<Parameters<typeof optionsOf>[2]>[0]): OnDenied {
  return (_request, response, next, decision) => {
    const answer = deny(decision)
    if (answer === undefined) next()
    else send(response, answer)
  }
}

export function firstOf(app: App): RequestHandler {
  return (request, response, next) => {
    app.first({
      header: (name) => request.get(name),
      response,
      login: (user) => (request.user = user),
    })
    next()
  }
}

// Express 4 does not look at what a handler returns, so what it rejects with is passed on by hand.
function handlerOf(app: App): RequestHandler {
  return (request, response, next) => {
    void Promise.resolve(request)
      .then(async () => visited(app, request, response))
      .catch(next)
  }
}

/** Lets the application answer a request that has passed the limiter. */
export async function visited(app: App, request: Request, response: Response): Promise<void> {
  const answer = await app.handle({
    header: (name) => request.get(name),
    response,
    decision: request.rateLimit,
  })
  if (answer !== undefined) send(response, answer)
}

export function send(response: Response, { status, type, body }: Answer): void {
  response.status(status).set('Content-Type', type)
  if (typeof body === 'string') response.send(body)
  // A client that leaves ends the stream, and that is no error.
  else pipeline(body, response, () => {})
}

// Express knows an error handler by its four parameters.
function errorHandlerOf(app: App): ErrorRequestHandler {
  return (error: unknown, _request, response, _next) => {
    const text = app.failed(error)
    if (!response.headersSent)
      send(response, { status: 500, type: 'text/plain; charset=utf-8', body: text })
  }
}
