import express5, { type ErrorRequestHandler, type Express, type RequestHandler } from 'express'
import express4 from 'express4'
import { SluiceError } from '../src/index.js'

export const frameworks: [string, () => Express][] = [
  ['Express 4', express4],
  ['Express 5', express5],
]

/** The moment at which everything happens, unless a test lets time pass. */
export const start: number = Date.UTC(2026, 0, 1)

/** An app that answers "hello" behind the middlewares, and says by its status, else 500, and its code what error reached it. */
export function appOf(
  create: () => Express,
  ...middlewares: (RequestHandler | ErrorRequestHandler)[]
): Express {
  const app = create()
  app.use(...middlewares)
  app.get('/', (_request, response) => {
    response.send('hello')
  })
  app.use(sayError)
  return app
}

// Express knows an error handler by its four parameters.
const sayError: ErrorRequestHandler = (error: unknown, _request, response, _next) => {
  if (error instanceof SluiceError) response.status(error.status ?? 500).send(error.code)
  else response.status(500).send(String(error))
}

/** Takes down every error that comes along, and hands it on. */
export function errorLog(errors: unknown[]): ErrorRequestHandler {
  return (error: unknown, _request, _response, next) => {
    errors.push(error)
    next(error)
  }
}
