import type { Arrival } from './adapter.js'

/** Logs in the user that the header `x-user` names; without the header, no user. */
export function authenticate({ header, login }: Arrival): void {
  login(header('x-user') ?? null)
}

/** Responds before the limiter runs. */
export function answerEarly({ response }: Pick<Arrival, 'response'>): void {
  response.writeHead(200, { 'content-type': 'text/plain; charset=utf-8' })
  response.end('early')
}
