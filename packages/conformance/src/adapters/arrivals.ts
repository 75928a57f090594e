import type { Arrival } from './adapter.js'

/** Logs in whom the header `x-user` names, and nobody where there is none. */
export function authenticate({ header, login }: Arrival): void {
  login(header('x-user') ?? null)
}

/** Answers before the limiter is asked. */
export function answerEarly({ response }: Pick<Arrival, 'response'>): void {
  response.writeHead(200, { 'content-type': 'text/plain; charset=utf-8' })
  response.end('early')
}
