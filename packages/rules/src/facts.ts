/**
 * The facts of a request that rules can read. A property may be a getter: it is read at most once for each judgement, and only if a rule needs it.
 * `undefined`, `null` and an empty string mean that the request does not have it.
 */
export interface Facts {
  readonly method?: string | undefined
  /** The path and the query as the client sent them. */
  readonly url?: string | undefined
  /** The URL that the framework routes, if it rewrote the one that the client sent. */
  readonly routedUrl?: string | undefined
  /** Whether the framework's router ends the path at a semicolon. */
  readonly semicolonEndsPath?: boolean | undefined
  /** The parameters that the framework's router found in the path, by their names. */
  readonly params?: Readonly<Record<string, unknown>> | undefined
  /** The pattern of the framework's route. */
  readonly route?: string | undefined
  /** The host, with or without a port. If the request states several hosts, the one that the framework reads is the first. */
  readonly host?: string | readonly string[] | undefined
  /** The client's address. */
  readonly ip?: string | undefined
  /** A header by its name in lower case. */
  header?(name: string): string | undefined
  /** The value of a cookie. Several if parsers of cookies read different values: '' is that of a parser that finds none. */
  cookie?(name: string): string | readonly string[] | undefined
  /** A declared value. If it returns a promise, the judgement waits for it. An error fails the request. */
  value?(name: string): unknown
}
