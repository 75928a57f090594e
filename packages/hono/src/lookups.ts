import { byName } from '@sluice/core/internal'
import {
  reportedAddress,
  runtimeAdvice,
  waitUntilIn,
  type FetchLookups,
  type WaitUntil,
} from '@sluice/fetch/adapter'
import type { Context } from 'hono'
import type { RouterRoute } from 'hono/types'
import type { StatusCode } from 'hono/utils/http-status'
import { tryDecode } from 'hono/utils/url'

/** The targets that Hono's validators parse. */
const targets = ['json', 'form', 'query', 'param', 'header', 'cookie']

export const lookups: FetchLookups<Context> = {
  // A request of Express has no `req`, and is refused.
  request: ({ req }) => req?.raw,

  // The servers of Node, Bun and Deno pass their own values as the environment.
  peer: ({ req, env }) => reportedAddress(req.raw, [env]),

  // Hono runs the first handler that matches: that of the limiter, or one below an `app.use('/api/*')`. A handler of `app.all` and of `app.mount` looks like
  // a middleware, so the last pattern of all counts for it, and for a request that has matched no handler.
  route({ req }) {
    // The function `matchedRoutes` of Hono finds none for the context of another copy of Hono.
    const routes = req.matchedRoutes
    const next = routes.slice(req.routeIndex).find((route) => isHandler(route) && isNamed(route))
    return (next ?? routes.findLast(isNamed) ?? routes.findLast(isHandler) ?? routes.at(-1))?.path
  },

  params: ({ req }) => req.param(),

  sent({ req }) {
    const request: { valid(target: string): unknown } = req
    const query = byName(parametersOf(req.url)).values()
    return [...query, req.param(), ...targets.map((target) => request.valid(target))]
  },

  tell(context, decision) {
    context.set('rateLimit', decision)
  },

  addressAdvice: () => `app.request() reports no address. ${runtimeAdvice('app.fetch')}`,

  waitUntil: waitUntilOf,

  // A response that Hono makes has the headers that other middleware has set before.
  respond: ({ newResponse }, body, { status, headers }) =>
    isStatusCode(status)
      ? newResponse(body, status, headers)
      : new Response(body, { status, headers }),

  // The error handler of an application receives the error. That of Hono calls `getResponse`.
  refuse(_context, error) {
    const { message, status = 400 } = error
    throw Object.assign(error, { getResponse: () => new Response(message, { status }) })
  },
}

/** The parameters as `req.queries()` reads them, which itself searches the rest of the URL for each parameter without a value. */
function parametersOf(url: string): readonly (readonly [name: string, value: string])[] {
  const [, query = ''] = /^[^?#]*\?([^#]*)/.exec(url) ?? []
  return query.split('&').map((pair) => {
    const end = pair.includes('=') ? pair.indexOf('=') : pair.length
    return [decoded(pair.slice(0, end)), decoded(pair.slice(end + 1))]
  })
}

function decoded(text: string): string {
  const spaced = text.replaceAll('+', ' ')
  return spaced.includes('%') ? tryDecode(spaced, decodeURIComponent) : spaced
}

function isHandler({ method }: RouterRoute): boolean {
  return method !== 'ALL'
}

function isNamed({ path }: RouterRoute): boolean {
  return !path.includes('*')
}

/** If the environment is that of a server, Hono has no execution context, and its getter would throw. */
function waitUntilOf(context: Context): WaitUntil | undefined {
  if (isServer(context.env)) return undefined
  try {
    return waitUntilIn(context.req.raw, [context.executionCtx])
  } catch {
    return undefined
  }
}

// Hono's type has a member for each status, but its functions take any.
function isStatusCode(status: number): status is StatusCode {
  return status >= 200 && status <= 599
}

function isServer(env: unknown): boolean {
  if (typeof env !== 'object' || env === null) return false
  return 'incoming' in env || 'requestIP' in env || 'remoteAddr' in env
}
