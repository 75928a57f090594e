import { requestError } from '../../errors/request-error.js'
import { isRecord } from '../../options/predicates.js'

/** A request as an adapter presents it. The properties may be getters: the limiter reads only those that its options need. */
export interface RequestView<R> {
  /** The framework's own request, which is passed to the functions of the application. */
  readonly raw: R
  /** The client's address as the framework determines it from its proxy settings. */
  readonly address: string | undefined
  /** The remote address of the socket: the client, or the last proxy. */
  readonly peer: string | undefined
  /** The method of the request. */
  readonly method: string
  /**
   * The path and the query as the client sent them: not decoded, and with the prefix of mounted routers. A client may send a whole URL instead of a path,
   * and frameworks then route by its path: `GET http://host/path` has the url `/path`. A whole URL stays whole if frameworks can disagree about its path.
   */
  readonly url: string | undefined
  /** The URL that the framework routes, if the application rewrote the one that the client sent. */
  readonly routedUrl?: string | undefined
  /** Whether the router ends the path at a semicolon. */
  readonly semicolonEndsPath?: boolean | undefined
  /** The parameters of the route, by their names, as far as a route has matched (yet). */
  readonly params?: Readonly<Record<string, unknown>> | undefined
  /** The name of the host as the framework determines it from the headers and its proxy settings. */
  readonly host?: string | undefined
  /** The whole pattern of the route, not the URL; undefined if no route has matched (yet). */
  readonly route: string | undefined
  /** The headers by their names in lower case. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  /**
   * The other values that the client sent, as far as the framework has parsed them: the body, the query, the route's parameters, cookies. A key function
   * must not return a list that they contain.
   */
  readonly sent?: readonly unknown[]
  /** Whether the framework trusts every proxy, so that a client can forge its address. */
  readonly trustsEveryProxy: boolean
  /** How to let the framework find the address; undefined for the frameworks of Node. */
  readonly addressAdvice?: string
}

/** Node's own request, of HTTP/1 or HTTP/2, which every framework wraps. */
export interface NodeRequest {
  readonly method?: string | undefined
  readonly headers: RequestView<unknown>['headers']
  readonly socket?: { readonly remoteAddress?: string | undefined } | null | undefined
}

/** How an adapter reads the properties of a view from the request of its framework. */
export interface Lookups<R> {
  node(request: R): NodeRequest
  /** A member that each request of the framework has, and none of Node. */
  readonly member?: string
  /** The target of the request as it was sent, also within a mounted router. */
  url(request: R): string | undefined
  /** The target that the framework routes, if that can be another one. */
  routedUrl?(request: R): string | undefined
  /** Whether the router ends the path at a semicolon. */
  semicolonEndsPath?(request: R): boolean
  /** The parameters of the route, as far as one has matched. */
  params?(request: R): unknown
  /** The name of the host, as the framework determines it. */
  host?(request: R): string | undefined
  /** The client's address, as the framework determines it from its proxy settings. */
  address(request: R): string | undefined
  /** The whole pattern of the route that has matched. */
  route(request: R): string | undefined
  /** The parsed values that the client sent: the body, the query, the route's parameters, cookies. */
  sent(request: R): readonly unknown[]
  /** Whether the framework trusts every proxy. */
  trustsEveryProxy(request: R): boolean
}

/**
 * Makes the function that wraps a request in a view. Each property is read on access, because frameworks compute some of them on each access. The
 * function throws SLUICE_REQUEST_INVALID for a value that wraps no request of Node.
 */
export function createView<R>(lookups: Lookups<R>): (request: R) => RequestView<R> {
  class View implements RequestView<R> {
    // Only declared, because a field would be initialized by a function of its own.
    declare readonly raw: R

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

    get url(): string | undefined {
      return pathAndQuery(lookups.url(this.raw))
    }

    get routedUrl(): string | undefined {
      return pathAndQuery(lookups.routedUrl?.(this.raw))
    }

    get semicolonEndsPath(): boolean | undefined {
      return lookups.semicolonEndsPath?.(this.raw)
    }

    get params(): RequestView<R>['params'] {
      const params = lookups.params?.(this.raw)
      return isRecord(params) ? params : undefined
    }

    get host(): string | undefined {
      return lookups.host?.(this.raw)
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
  return function viewOf(request) {
    if (typeof request === 'object' && request !== null) {
      const node: unknown = lookups.node(request)
      const isOwn = lookups.member === undefined || lookups.member in request
      // A web Request has this member, also one of a polyfill. Its headers would tell as well, but Node parses those of a request on the first access.
      if (isOwn && typeof node === 'object' && node !== null && !('bodyUsed' in node)) {
        return new View(request)
      }
    }
    throw requestError('SLUICE_REQUEST_INVALID', request, 'node')
  }
}

/**
 * The form of a target that names its host, which a client may send to any server (RFC 9112, section 3.2.2). If the host is spelled in another way, frameworks
 * can find its end in different places.
 */
const origin = /^https?:\/\/(?:\w+@)?(?:[\w.-]+|\[[\da-f:.]+\])(?::\d+)?(?=[/?#]|$)/i

/** If the target names its host, Express encodes these characters of the path, and then routes within mounted routers by other paths. */
const encoded = /^[^?#]*(?:[^!-~]|["'<>\\^`{|}])/

function pathAndQuery(target: string | undefined): string | undefined {
  if (target === undefined || target.startsWith('/')) return target
  const [sent] = origin.exec(target) ?? []
  if (sent === undefined) return target
  const rest = target.slice(sent.length)
  if (encoded.test(rest)) return target
  if (rest.startsWith('/')) return rest
  // Some versions of Fastify route `http://host?/path` by `/path`.
  return rest.includes('/') ? target : `/${rest}`
}

// RFC 5737: an address for documentation, which no host uses.
const client = '192.0.2.0'

/**
 * A request that was forwarded by a hundred proxies. Some frameworks do not expose their proxy settings: if such a framework takes `client` for the
 * address of this request, it trusts every proxy.
 */
export const trustProbe: NodeRequest & { readonly client: string } = {
  client,
  headers: { 'x-forwarded-for': client + ', 192.0.2.1'.repeat(99) },
  socket: { remoteAddress: '192.0.2.1' },
}
