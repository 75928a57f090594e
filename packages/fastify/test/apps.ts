import fastify, { type FastifyInstance, type FastifyServerOptions } from 'fastify'
import { onTestFinished } from 'vitest'
import { fixedWindow, SluiceError, type Algorithm, type Duration } from '../src/index.js'

/** The moment at which everything happens. */
export const start: number = Date.UTC(2026, 0, 1)

/** So many requests in a minute, at a time that stands still. */
export function times(limit: number): {
  limit: number
  window: Duration
  algorithm: Algorithm
  clock: () => number
} {
  return { limit, window: '1m', algorithm: fixedWindow, clock: () => start }
}

export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export type Send = (path?: string, init?: RequestInit) => Promise<Answer>

/** An application that says by 500 and its code what error reached it. */
export function create(options?: FastifyServerOptions): FastifyInstance {
  // A client that aborts leaves a connection open, which would hold up the end of the test for four seconds.
  const app = fastify({ forceCloseConnections: true, ...options })
  app.setErrorHandler((error, _request, reply) => {
    reply
      .code(500)
      .type('text/plain')
      .send(error instanceof SluiceError ? error.code : String(error))
  })
  onTestFinished(async () => {
    await app.close()
  })
  return app
}

/** Serves an application on the loopback, and speaks to it. */
export async function serve(app: FastifyInstance): Promise<Send> {
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  return async (path = '/', init = {}) => {
    const response = await fetch(url + path, init)
    const headers = Object.fromEntries(response.headers)
    return { status: response.status, headers, body: await response.text() }
  }
}

/** How requests are answered that are sent one after the other: 'GET /a 200'. */
export async function statuses(send: Send, ...requests: string[]): Promise<number[]> {
  const answers: number[] = []
  for (const request of requests) {
    const [method, path] = request.split(' ')
    answers.push((await send(path, { method })).status)
  }
  return answers
}
