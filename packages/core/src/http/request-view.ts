/** What an adapter tells of its request. It may answer by getters: nothing is read that no rule asks for. */
export interface RequestView<R> {
  /** The framework's own request: what the functions of an application get. */
  readonly raw: R
  /** The client's address as the framework knows it, proxies considered. */
  readonly address: string | undefined
  readonly method: string
  /** The pattern of the route, not the URL. */
  readonly route: string | undefined
  /** By their names in lower case. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
}
