import type { Duration, Keys } from '@sluice/core'
import {
  addressesOf,
  addressOption,
  createGuard,
  createWebView,
  FetchExchange,
  type AddressLookups,
  type AddressOption,
  type Awaitable,
  type LimiterAccess,
  type RequestDecision,
  type WholeRule,
} from '@sluice/core/http'
import { byName, type OptionReader } from '@sluice/core/internal'
import { createAnswers, type Asked, type FetchLookups, type OnDenied } from './answers.js'
import type { Platform } from './platform.js'
import { limitsOf } from './request-limits.js'
import { runtimeAdvice } from './runtime-advice.js'

/** The options of `rateLimit`: either `limit` and `window`, or `policies`, or `rules`, and any of the others. */
export type RateLimitOptions<R = Request, W = Duration, P = unknown> = AddressSetting<R> &
  WholeRule<R, OnDenied<R>, W, P>

/** The option that only adapters for web Requests have. */
export interface AddressSetting<R> {
  /**
   * Where the address of a client comes from. No header is read unless this option names it. `{ proxies: n }` is for a server behind n proxies: the n-th
   * entry of `X-Forwarded-For` from the right. `{ header }` is for a platform that overwrites this header in every request. A function is for anything else.
   *
   * @default the address that the runtime reports
   */
  readonly address?: AddressOption<R, Platform | undefined> | undefined
}

/** The result of `limit.check`. */
export interface Checked {
  /** Whether the request may continue. */
  readonly allowed: boolean
  /** Undefined if the request is not limited, or if a list denies it. */
  readonly decision: RequestDecision | undefined
  /** The headers to set in the response of the handler. */
  readonly headers: Headers
  /** The response of a denial, with its headers. */
  readonly response?: Response
}

/** A limit of requests. */
export interface FetchLimit<R> extends LimiterAccess<R> {
  /**
   * Decides a request, calls `next` for its response unless it is denied, and writes the headers. Errors of `next` pass through; a thrown Response is the
   * response.
   */
  run(request: R, next: () => Awaitable<Response>, platform?: Platform): Promise<Response>
  /**
   * Decides a request for a place that sees no response.
   *
   * @throws SluiceError SLUICE_RESPONSE_UNSEEN with `count`, `resetOn`, a `concurrency` policy, or a rule with one of these
   */
  check(request: R, platform?: Platform): Promise<Checked>
  /** As in `LimiterAccess`. `platform` is what the server passes beside the request. */
  keyOf(request: R, platform?: Platform): Promise<Keys>
}

/**
 * Makes the function `rateLimit` for a framework whose requests contain a web Request and whose handlers return a Response.
 *
 * @example
 * import { fetchAdapter } from '@sluice/fetch/adapter'
 *
 * interface Call {
 *   readonly request: Request
 *   readonly address: string
 * }
 * const rateLimit = fetchAdapter<Call>({ request: (call) => call.request, peer: (call) => call.address })
 * const limit = rateLimit({ limit: 100, window: '1m' })
 * @param readers the options that only this framework has
 */
export function fetchAdapter<R>(
  lookups: FetchLookups<R>,
  readers: Readonly<Record<string, OptionReader<unknown>>> = {},
): <const W extends Duration, P>(options: RateLimitOptions<R, W, P>) => FetchLimit<R> {
  const respond = createAnswers(lookups)
  const { seesResponse = true } = lookups
  const own = { address: addressOption, ...readers }

  function reported(request: R, platform: Platform | undefined): string | undefined {
    const outermost = limitsOf(lookups.request(request)).platform
    return platform?.address ?? lookups.peer?.(request) ?? outermost?.address
  }

  const sources: AddressLookups<R, Platform | undefined> = {
    peer: reported,
    header: (request, _platform, name) => lookups.request(request).headers.get(name),
    advice: lookups.addressAdvice ?? runtimeAdvice,
  }

  return function rateLimit(options) {
    const guard = createGuard<R, OnDenied<R>>(options, undefined, false, seesResponse, own)
    const addresses = addressesOf<R, Platform | undefined>(options.address, sources)
    const viewOf = createWebView<R, Platform | undefined>({
      web: lookups.request,
      address: addresses.of,
      peer: reported,
      addressAdvice: () => addresses.advice(),
      route: (request, platform) => platform?.route ?? lookups.route?.(request),
      params: (request) => lookups.params?.(request),
      sent: (request) => lookups.sent?.(request) ?? queryOf(lookups.request(request)),
    })

    function ask(request: R, platform: Platform | undefined): Asked<R> {
      const view = viewOf(request, platform)
      const web = lookups.request(request)
      const limits = limitsOf(web)
      limits.begin(guard, platform)
      return { view, web, limits, platform, exchange: new FetchExchange(web), decision: undefined }
    }

    async function run(
      request: R,
      next: () => Awaitable<Response>,
      platform?: Platform,
    ): Promise<Response> {
      const asked = ask(request, platform)
      const { view, exchange, limits } = asked
      return respond(asked, guard.check(view, exchange, limits, seesResponse), next)
    }

    async function check(request: R, platform?: Platform): Promise<Checked> {
      const asked = ask(request, platform)
      const { view, exchange, limits } = asked
      let allowed = false
      const response = await respond(asked, guard.check(view, exchange, limits, false), () => {
        allowed = true
        return new Response(null)
      })
      const { decision } = asked
      const headers = new Headers(limits.fields)
      return allowed ? { allowed, decision, headers } : { allowed, decision, headers, response }
    }

    return {
      limiter: guard.limiter,
      run,
      check,
      keyOf: (request, platform) => guard.keyOf(viewOf(request, platform)),
    }
  }
}

const queries = new WeakMap<Request, readonly unknown[]>()

/** The values of the query, as lists, which all limits of a request share. */
function queryOf(request: Request): readonly unknown[] {
  const query = queries.get(request) ?? [...byName(new URL(request.url).searchParams).values()]
  queries.set(request, query)
  return query
}
