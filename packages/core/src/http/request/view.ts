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

/**
 * For each property of a view, the function that reads it from the request of the framework. Properties without one are undefined. `C` is what the server
 * passes beside the request.
 */
type Readers<R, C> = {
  readonly [N in Exclude<keyof RequestView<R>, 'raw' | 'params'>]?: (
    request: R,
    context?: C,
  ) => RequestView<R>[N]
} & { readonly params?: (request: R, context?: C) => unknown }

/** How an adapter reads a view from a request of Node. */
export type Lookups<R> = Readers<R, undefined> &
  Required<
    Pick<Readers<R, undefined>, 'url' | 'address' | 'route' | 'sent' | 'trustsEveryProxy'>
  > & {
    node(request: R): NodeRequest
    /** A member that each request of the framework has, and none of Node. */
    readonly member?: string
  }

/** Makes the function that wraps a request of Node in a view. It throws SLUICE_REQUEST_INVALID for a value that wraps none. */
export function createView<R>(lookups: Lookups<R>): (request: R) => RequestView<R> {
  const { node, member, url, routedUrl, ...readers } = lookups
  const View = viewClass<R, undefined>({
    peer: (request) => node(request).socket?.remoteAddress,
    method: (request) => node(request).method ?? 'GET',
    headers: (request) => node(request).headers,
    ...readers,
    url: (request) => pathAndQuery(url(request)),
    routedUrl: (request) => pathAndQuery(routedUrl?.(request)),
  })
  return function viewOfNode(request) {
    const isOwn = isRecord(request) && (member === undefined || member in request)
    const found: unknown = isOwn ? node(request) : undefined
    // A web Request has this member, also one of a polyfill. Its headers would tell as well, but Node parses those of a request on the first access.
    if (isRecord(found) && !('bodyUsed' in found)) return new View(request)
    throw requestError('SLUICE_REQUEST_INVALID', request, 'node')
  }
}

/** A web Request, as far as a view needs it. */
export interface WebRequest {
  readonly method: string
  readonly url: string
  readonly headers: Iterable<readonly [string, string]>
}

/** How an adapter reads a view from a request that contains a web Request, which has neither an address nor a route. */
export type WebLookups<R, C> = Readers<R, C> & { web(request: R): WebRequest }

/** Makes the function that wraps a request in a view. It throws SLUICE_REQUEST_INVALID for a value that contains no web Request. */
export function createWebView<R, C>({
  web,
  ...readers
}: WebLookups<R, C>): (request: R, context?: C) => RequestView<R> {
  // Copied at the first access, because most requests are decided without them.
  const copied = new WeakMap<WebRequest, RequestView<R>['headers']>()

  function headersOf(request: WebRequest): RequestView<R>['headers'] {
    const headers = copied.get(request) ?? Object.fromEntries(request.headers)
    copied.set(request, headers)
    return headers
  }

  const View = viewClass<R, C>({
    sent: () => [],
    // An application names the number of its proxies, or the header that its platform writes.
    trustsEveryProxy: () => false,
    ...readers,
    method: (request) => web(request).method,
    url: (request) => pathOf(web(request).url),
    host: (request) => new URL(web(request).url).hostname,
    headers: (request) => headersOf(web(request)),
  })
  return function viewOfWeb(request, context) {
    const found: unknown = isRecord(request) ? web(request) : undefined
    // Only asks whether the member exists, because some servers make the members of a request at the first access.
    if (isRecord(found) && 'bodyUsed' in found) return new View(request, context)
    throw requestError('SLUICE_REQUEST_INVALID', request, 'web')
  }
}

/** Makes the class of the views of requests. Each property is read on access, because frameworks compute some of them on each access. */
function viewClass<R, C>(readers: Readers<R, C>): new (request: R, context?: C) => RequestView<R> {
  class View {
    // Only declared, because a field would be initialized by a function of its own.
    declare readonly raw: R
    declare readonly context: C | undefined

    constructor(raw: R, context: C | undefined) {
      this.raw = raw
      this.context = context
    }
  }
  for (const [name, read] of Object.entries(readers)) {
    Object.defineProperty(View.prototype, name, {
      get(this: View): unknown {
        const value: unknown = read(this.raw, this.context)
        // Read once, because frameworks parse the query at each access.
        if (name === 'sent') Object.defineProperty(this, name, { value })
        return name === 'params' && !isRecord(value) ? undefined : value
      },
    })
  }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the readers define the other properties
  return View as unknown as new (request: R, context?: C) => RequestView<R>
}

function pathOf(url: string): string {
  const path = url.indexOf('/', url.indexOf('://') + 3)
  return path === -1 ? '/' : url.slice(path)
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
