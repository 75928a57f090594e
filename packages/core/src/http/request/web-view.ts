import { requestError } from '../../errors/request-error.js'
import { isRecord } from '../../options/predicates.js'
import type { RequestView } from './view.js'

/** A web Request, as far as a view needs it. */
export interface WebRequest {
  readonly method: string
  readonly url: string
  readonly headers: Iterable<readonly [string, string]> & { get(name: string): string | null }
}

/**
 * How an adapter reads the properties of a view from a request that contains a web Request. A web Request has neither an address nor a route, so `C` is what
 * the server passes beside it.
 */
export interface WebLookups<R, C> {
  web(request: R): WebRequest
  /** The client's address, as the options determine it. */
  address(request: R, context: C): string | undefined
  /** The address that the runtime itself reports. */
  peer(request: R, context: C): string | undefined
  /** The advice for a request without an address. */
  addressAdvice(): string
  /** The whole pattern of the route that has matched. */
  route?(request: R, context: C): string | undefined
  /** The parameters of the route, as far as one has matched. */
  params?(request: R): unknown
  /** The parsed values that the client sent, as far as the framework has parsed them. */
  sent?(request: R): readonly unknown[]
}

/**
 * Makes the function that wraps a request in a view. The headers are copied at the first access, because most requests are decided without them. The function
 * throws SLUICE_REQUEST_INVALID for a value that contains no web Request.
 */
export function createWebView<R, C>(
  lookups: WebLookups<R, C>,
): (request: R, context: C) => RequestView<R> {
  class WebView implements RequestView<R> {
    declare readonly raw: R
    declare readonly web: WebRequest
    declare readonly context: C
    declare copied: RequestView<R>['headers'] | undefined

    constructor(raw: R, web: WebRequest, context: C) {
      this.raw = raw
      this.web = web
      this.context = context
      this.copied = undefined
    }

    get address(): string | undefined {
      return lookups.address(this.raw, this.context)
    }

    get peer(): string | undefined {
      return lookups.peer(this.raw, this.context)
    }

    get method(): string {
      return this.web.method
    }

    get url(): string {
      const { url } = this.web
      const path = url.indexOf('/', url.indexOf('://') + 3)
      return path === -1 ? '/' : url.slice(path)
    }

    get host(): string {
      return new URL(this.web.url).hostname
    }

    get params(): RequestView<R>['params'] {
      const params = lookups.params?.(this.raw)
      return isRecord(params) ? params : undefined
    }

    get headers(): RequestView<R>['headers'] {
      return (this.copied ??= Object.fromEntries(this.web.headers))
    }

    get route(): string | undefined {
      return lookups.route?.(this.raw, this.context)
    }

    get sent(): readonly unknown[] {
      return lookups.sent?.(this.raw) ?? []
    }

    // An application names the number of its proxies, or the header that its platform writes.
    get trustsEveryProxy(): boolean {
      return false
    }

    get addressAdvice(): string {
      return lookups.addressAdvice()
    }
  }
  return function viewOf(request, context) {
    if (isRecord(request)) {
      const web: unknown = lookups.web(request)
      // Only asks whether the member exists, because some servers make the members of a request at the first access.
      if (isRecord(web) && 'bodyUsed' in web)
        return new WebView(request, lookups.web(request), context)
    }
    throw requestError('SLUICE_REQUEST_INVALID', request, 'web')
  }
}
