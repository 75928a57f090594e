import fastify, { type FastifyInstance, type FastifyServerOptions } from 'fastify'
import { onTestFinished } from 'vitest'
import { fixedWindow, SluiceError, type Algorithm, type Duration } from '../src/index.js'

/** The time of the clock, which does not advance. */
export const start: number = Date.UTC(2026, 0, 1)

/** This many requests a minute, with a clock that does not advance. */
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

/** An application that sends an error as a 500 with its code. */
export function create(options?: FastifyServerOptions): FastifyInstance {
  // An aborted connection stays open and would delay the end of the test by four seconds.
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

/** Serves an application on the loopback interface, and returns a client. */
export async function serve(app: FastifyInstance): Promise<Send> {
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  return async (path = '/', init = {}) => {
    const response = await fetch(url + path, init)
    const headers = Object.fromEntries(response.headers)
    return { status: response.status, headers, body: await response.text() }
  }
}

/** The statuses of requests such as 'GET /a', which are sent one after the other. */
export async function statuses(send: Send, ...requests: string[]): Promise<number[]> {
  const answers: number[] = []
  for (const request of requests) {
    const [method, path] = request.split(' ')
    answers.push((await send(path, { method })).status)
  }
  return answers
}
