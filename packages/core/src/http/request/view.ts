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
 * For each property of a view, the function that reads it. Properties without one are undefined. `A` are its arguments: the request of the framework, and what
 * its server passes beside it.
 */
type Readers<R, A extends readonly unknown[]> = {
  readonly [N in Exclude<keyof RequestView<R>, 'raw' | 'params'>]?: (
    ...about: A
  ) => RequestView<R>[N]
} & { readonly params?: (...about: A) => unknown }

/** How an adapter reads a view from a request of Node. */
export type Lookups<R> = Readers<R, [request: R]> &
  Required<
    Pick<Readers<R, [request: R]>, 'url' | 'address' | 'route' | 'sent' | 'trustsEveryProxy'>
  > & {
    node(request: R): NodeRequest
    /** A member that each request of the framework has, and none of Node. */
    readonly member?: string
  }

/** Makes the function that wraps a request of Node in a view. It throws SLUICE_REQUEST_INVALID for a value that wraps none. */
export function createView<R>(lookups: Lookups<R>): (request: unknown) => RequestView<R> {
  const { node, member, url, routedUrl, ...readers } = lookups
  const View = viewClass<R, NodeRequest>({
    peer: (_request, { socket }) => socket?.remoteAddress,
    method: (_request, { method }) => method ?? 'GET',
    headers: (_request, { headers }) => headers,
    ...readers,
    url: (request) => pathAndQuery(url(request)),
    routedUrl: (request) => pathAndQuery(routedUrl?.(request)),
  })
  const isOwn = (value: unknown): value is R =>
    isRecord(value) && (member === undefined || member in value)

  return function viewOfNode(request) {
    if (isOwn(request)) {
      const found = node(request)
      // A web Request has this member, also one of a polyfill. Its headers would tell as well, but Node parses those of a request on the first access.
      if (isRecord(found) && !('bodyUsed' in found)) return new View(request, found)
    }
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
export type WebLookups<R, C> = Readers<R, [request: R, context: C | undefined]> & {
  web(request: R): WebRequest
}

/** Makes the function that wraps a request in a view. It throws SLUICE_REQUEST_INVALID for a value that contains no web Request. */
export function createWebView<R, C>({
  web,
  ...readers
}: WebLookups<R, C>): (request: R, context?: C) => RequestView<R> {
  const View = viewClass<R, C | undefined>({
    sent: () => [],
    // An application names the number of its proxies, or the header that its platform writes.
    trustsEveryProxy: () => false,
    ...readers,
    method: (request) => web(request).method,
    url: (request) => pathOf(web(request).url),
    host: (request) => new URL(web(request).url).hostname,
    headers: (request) => Object.fromEntries(web(request).headers),
  })
  return function viewOfWeb(request, context) {
    const found: unknown = isRecord(request) ? web(request) : undefined
    // Only asks whether the member exists, because some servers make the members of a request at the first access.
    if (isRecord(found) && 'bodyUsed' in found) return new View(request, context)
    throw requestError('SLUICE_REQUEST_INVALID', request, 'web')
  }
}

/** Read once: frameworks parse the query at each access, and the headers of a web Request are copied. */
const readOnce = new Set(['sent', 'headers'])

/** Makes the class of the views of requests. Each property is read on access, because frameworks compute some of them then. */
function viewClass<R, C>(
  readers: Readers<R, [request: R, context: C]>,
): new (request: R, context: C) => RequestView<R> {
  class View {
    // Only declared, because a field would be initialized by a function of its own.
    declare readonly raw: R
    declare readonly context: C

    constructor(raw: R, context: C) {
      this.raw = raw
      this.context = context
    }
  }
  for (const [name, read] of Object.entries(readers)) {
    Object.defineProperty(View.prototype, name, {
      get(this: View): unknown {
        const value: unknown = read(this.raw, this.context)
        if (readOnce.has(name)) Object.defineProperty(this, name, { value })
        return name === 'params' && !isRecord(value) ? undefined : value
      },
    })
  }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the readers define the other properties
  return View as unknown as new (request: R, context: C) => RequestView<R>
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
