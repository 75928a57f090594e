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
}
