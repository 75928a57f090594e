/** What an adapter tells of its request. It may answer by getters: nothing is read that no rule asks for. */
export interface RequestView<R> {
  /** The framework's own request: what the functions of an application get. */
  readonly raw: R
  /** The client's address as the framework knows it, proxies considered. */
  readonly address: string | undefined
  /** The address of whoever is at the other end of the socket: the client, or the last proxy before us. */
  readonly peer: string | undefined
  readonly method: string
  /** The whole pattern of the route, not the URL; undefined where no route has matched (yet). */
  readonly route: string | undefined
  /** By their names in lower case. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  /**
   * What the client sent besides, as far as the framework has parsed it by now: the body, the query, the route's parameters, cookies. A key
   * function must not return a list that stands in them.
   */
  readonly sent?: readonly unknown[]
  /** Whether the framework believes whatever stands in front of it, so that a client can make up its address. */
  readonly trustsEveryProxy: boolean
}
