import type { Duration } from '@sluice/core'
import type { RateLimitOptions } from '../fetch-adapter.js'
import { memberOf, waitUntilIn, type WaitUntil } from '../platform.js'
import { handlerLimits, type RateLimit } from '../rate-limit.js'

/**
 * Creates a limit for the route handlers of Next.js. `redirect()`, `notFound()`, `forbidden()` and `unauthorized()` count by their statuses.
 *
 * @example
 * import { rateLimit } from '@sluice/fetch/next'
 *
 * const limit = rateLimit({ limit: 100, window: '1m', address: { proxies: 1 } })
 * export const GET = limit(async () => Response.json({ hello: 'world' }))
 * @throws SluiceError if an option is missing, unknown or wrong
 */
export function rateLimit<const W extends Duration, P>(
  options: RateLimitOptions<Request, W, P>,
): RateLimit {
  return limitOf(options)
}

const limitOf = handlerLimits({
  request: (request) => request,
  statusOfError: statusOfDigest,
  waitUntil: waitUntilOfPlatform,
})

/** The status of an error by which Next.js answers: `redirect()` has the digest NEXT_REDIRECT;type;url;status;, `notFound()` NEXT_HTTP_ERROR_FALLBACK;status. */
function statusOfDigest(error: unknown): number | undefined {
  const digest = memberOf(error, 'digest')
  if (typeof digest !== 'string') return undefined
  const [code, first] = digest.split(';', 2)
  if (code === 'NEXT_NOT_FOUND') return 404
  // The URL may contain semicolons too.
  const status = code === 'NEXT_REDIRECT' ? digest.split(';').at(-2) : first
  return code === 'NEXT_REDIRECT' || code === 'NEXT_HTTP_ERROR_FALLBACK'
    ? statusIn(status)
    : undefined
}

function statusIn(text: string | undefined): number | undefined {
  return /^[1-5]\d\d$/.test(text ?? '') ? Number(text) : undefined
}

/** A platform that hosts Next.js passes `waitUntil` under this symbol, which `after()` uses too. */
function waitUntilOfPlatform(request: Request): WaitUntil | undefined {
  const holder: unknown = Reflect.get(globalThis, Symbol.for('@next/request-context'))
  const get = memberOf(holder, 'get')
  return typeof get === 'function' ? waitUntilIn(request, [get.call(holder)]) : undefined
}
