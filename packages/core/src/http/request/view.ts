import type { RequestView } from './request-view.js'

/** Node's own request, of HTTP/1 or HTTP/2, which lies under that of every framework. */
export interface NodeRequest {
  readonly method?: string | undefined
  readonly headers: RequestView<unknown>['headers']
  readonly socket?: { readonly remoteAddress?: string | undefined } | null | undefined
}

/** Where a framework keeps what the rules may ask for. */
export interface Lookups<R> {
  node(request: R): NodeRequest
  /** The client's address, proxies considered. */
  address(request: R): string | undefined
  /** The whole pattern of the route that has matched. */
  route(request: R): string | undefined
  /** What the client sent, parsed: the body, the query, the route's parameters, cookies. */
  sent(request: R): readonly unknown[]
  /** Whether the framework believes whatever stands in front of it. */
  trustsEveryProxy(request: R): boolean
}

/** Makes views of a framework's requests, which look up what is asked for and nothing else: frameworks work some of it out anew each time. */
export function createView<R>(lookups: Lookups<R>): (request: R) => RequestView<R> {
  class View implements RequestView<R> {
    readonly raw: R

    constructor(raw: R) {
      this.raw = raw
    }

    get address(): string | undefined {
      return lookups.address(this.raw)
    }

    get peer(): string | undefined {
      return lookups.node(this.raw).socket?.remoteAddress
    }

    get method(): string {
      return lookups.node(this.raw).method ?? 'GET'
    }

    get headers(): RequestView<R>['headers'] {
      return lookups.node(this.raw).headers
    }

    get route(): string | undefined {
      return lookups.route(this.raw)
    }

    get sent(): readonly unknown[] {
      return lookups.sent(this.raw)
    }

    get trustsEveryProxy(): boolean {
      return lookups.trustsEveryProxy(this.raw)
    }
  }
  return (request) => new View(request)
}

// RFC 5737: an address that nobody has.
const nobody = '192.0.2.0'

/**
 * What nobody sent, by way of a hundred proxies that nobody has. A framework that finds its client at the far end of them believes every proxy:
 * where it does not say so, it can be asked.
 */
export const unsent: NodeRequest & { readonly far: string } = {
  far: nobody,
  headers: { 'x-forwarded-for': nobody + ', 192.0.2.1'.repeat(99) },
  socket: { remoteAddress: '192.0.2.1' },
}
