import { pipeline } from 'node:stream'
import { rateLimit, type OnDenied, type RateLimitMiddleware } from '@sluice/express'
import express5, {
  type ErrorRequestHandler,
  type Express,
  type NextFunction,
  type Request,
  type RequestHandler,
  type Response,
} from 'express'
import express4 from 'express4'
import { after } from '../after.js'
import {
  optionsOf,
  valueIn,
  type Adapter,
  type Answer,
  type Authenticated,
  type App,
  type Denier,
  type OptionsFor,
  type Readers,
  type Visit,
} from '../adapter.js'
import { listening } from './listening.js'

export const express: readonly Adapter[] = [
  adapter('Express 4', express4),
  adapter('Express 5', express5),
]

function adapter(name: string, create: () => Express): Adapter {
  return {
    name,
    protocol: 'HTTP/1.1',
    followsPromises: false,
    writesResponse: true,
    answersWrongRequests: false,
    async serve(app) {
      const limits = limitsOf(app)
      return listening(applicationOf(create, app, limits), limits[0].limiter)
    },
  }
}

/** The limiters of an application. The first one is the one whose decisions the application reads. */
function limitsOf(app: App): readonly [RateLimitMiddleware, ...RateLimitMiddleware[]] {
  const limitOf = (options: OptionsFor): RateLimitMiddleware =>
    rateLimit(optionsOf(options, readers, onDenied))
  const first = limitOf(app.options)
  return app.second === undefined ? [first] : [first, limitOf(app.second)]
}

function applicationOf(
  create: () => Express,
  app: App,
  limits: readonly [RateLimitMiddleware, ...RateLimitMiddleware[]],
): Express {
  const application = create()
  application.set('trust proxy', app.proxies)
  application.use(arriving(app))
  if (app.place === 'app') application.use(...limits)
  const handler = handlerOf(app, limits[0])
  application.all('/items/:id', ...(app.place === 'route' ? limits : []), handler)
  application.all('/', handler)
  if (app.handling === 'application') application.use(errorHandlerOf(app))
  return application
}

const readers: Readers<Request> = {
  header: (request, name) => request.get(name),
  query: (request, name) => valueIn(request.query, name),
  user: (request) => (request as Request & Authenticated).user,
}

function onDenied(deny: Denier): OnDenied {
  return (_request, response, next, decision) =>
    after(deny(decision), (answer) => {
      if (answer === undefined) next()
      else send(response, answer)
    })
}

export function arriving(app: App): RequestHandler {
  return (request, response, next) => {
    app.first({
      header: (name) => request.get(name),
      response,
      login: (user) => Object.assign(request, { user }),
    })
    next()
  }
}

function handlerOf(app: App, { keyOf }: RateLimitMiddleware): RequestHandler {
  return (request, response, next) =>
    void visitedOr(next, app, request, response, () => keyOf(request))
}

// Express 4 ignores the promise of a handler, so this function passes its rejection on.
async function visitedOr(
  next: NextFunction,
  app: App,
  request: Request,
  response: Response,
  keyOf: Visit['keyOf'],
): Promise<void> {
  try {
    await visited(app, request, response, keyOf)
  } catch (error) {
    next(error)
  }
}

/** The application answers a request that has passed the limiter. */
export async function visited(
  app: App,
  request: Request,
  response: Response,
  keyOf: Visit['keyOf'],
): Promise<void> {
  const answer = await app.handle({
    header: (name) => request.get(name),
    response,
    decision: request.rateLimit,
    keyOf,
  })
  if (answer !== undefined) send(response, answer)
}

export function send(response: Response, { status, type, body }: Answer): void {
  response.status(status).set('Content-Type', type)
  if (typeof body === 'string') response.send(body)
  // A client that disconnects ends the stream, which is not an error.
  else pipeline(body, response, () => {})
}

// Express knows an error handler by its four parameters.
function errorHandlerOf(app: App): ErrorRequestHandler {
  return (error: unknown, _request, response, _next) => {
    const answer = app.failed(error)
    if (!response.headersSent) send(response, answer)
  }
}
