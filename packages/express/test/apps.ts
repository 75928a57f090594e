import express5, { type ErrorRequestHandler, type Express, type RequestHandler } from 'express'
import express4 from 'express4'
import { SluiceError } from '../src/index.js'

export const frameworks: [string, () => Express][] = [
  ['Express 4', express4],
  ['Express 5', express5],
]

/** The time of the clock at the start. Only a test advances it. */
export const start: number = Date.UTC(2026, 0, 1)

/** An app that sends "hello" after the middlewares. An error is sent as its code, with its own status or 500. */
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

// Express recognizes an error handler by its four parameters.
const sayError: ErrorRequestHandler = (error: unknown, _request, response, _next) => {
  if (error instanceof SluiceError) response.status(error.status ?? 500).send(error.code)
  else response.status(500).send(String(error))
}

/** Records every error, and passes it on. */
export function errorLog(errors: unknown[]): ErrorRequestHandler {
  return (error: unknown, _request, _response, next) => {
    errors.push(error)
    next(error)
  }
}
