import type { EventEmitter } from 'node:events'
import type { Readable } from 'node:stream'
import type { Decision, Keys, Limiter } from '@sluice/core'
import type { Awaitable, UserId, WholeRule } from '@sluice/core/http'

/** One framework in one version with one protocol, as the suite needs it. */
export interface Adapter {
  readonly name: string
  readonly protocol: 'HTTP/1.1' | 'HTTP/2'
  /** Whether a handler is done when its promise settles. If not, it is done when it has ended the response. */
  readonly followsPromises: boolean
  /** Whether a handler writes into Node's own response. If not, it returns a Response. */
  readonly writesResponse: boolean
  /** Whether the adapter itself answers a wrong request with a 400, because no framework has an error handler. */
  readonly answersWrongRequests: boolean
  /** Serves an application on a free port of the loopback. */
  serve(app: App): Promise<Served>
}

export interface Served {
  readonly port: number
  /** The limiter behind the adapter, in the adapter's own way. */
  limiter(): Limiter
  /** Closes all connections. */
  close(): Promise<void>
}

/** An application, described independently of a framework. */
export interface App {
  readonly options: OptionsFor
  /** A second limiter, behind the first. */
  readonly second?: OptionsFor | undefined
  /** The number of proxies that the framework trusts. The only one runs on the loopback. */
  readonly proxies: 0 | 1
  /** Runs before the limiter. */
  first(arrival: Arrival): void
  /** The scope of the limiter: all routes, or the route `/items/:id` alone. */
  readonly place: 'app' | 'route'
  /** Handles `/` and `/items/:id`, for every method. Undefined if the response has already been sent. */
  handle(visit: Visit): Answer | undefined | Promise<Answer | undefined>
  /** Whether the application has its own error handler, or uses the framework's. */
  readonly handling: 'application' | 'framework'
  /** Responds to an error that reached the application's error handler. */
  failed(error: unknown): Answer
}

/** Options of `rateLimit` for any framework's request. */
export type OptionsFor = <R>(read: Readers<R>) => NeutralOptions<R>

/** If the handler sends no response, the denied request continues. */
export type NeutralOptions<R> = WholeRule<R, Denier>

export type Denier = (decision: Decision) => Awaitable<Answer | undefined>

/** How to read a request of the framework. */
export interface Readers<R> {
  header(request: R, name: string): string | undefined
  /** As the framework parsed it. The type says string, as applications assume, but a repeated parameter is a list. */
  query(request: R, name: string): string
  /** As authentication set it. As in an application, the type ignores requests without authentication. */
  user(request: R): UserId
}

/** An emitter whose listeners are counted. */
type Listened = Pick<EventEmitter, 'eventNames' | 'listenerCount'>

/** The property that authentication adds to a request. A global declaration would apply to every program that imports the suite. */
export interface Authenticated {
  user: UserId
}

/** Node's own response, of HTTP/1 or HTTP/2, under that of the framework. */
export interface RawResponse extends Listened {
  readonly headersSent: boolean
  readonly socket: Listened | null
  /** HTTP/2 only. */
  readonly stream?: Listened & { readonly session?: Listened | undefined }
  setHeader(name: string, value: string): unknown
  writeHead(status: number, headers: Record<string, string>): unknown
  write(text: string): unknown
  end(text: string): unknown
  once(event: 'close', listener: () => void): unknown
}

/** A request before it reaches the limiter. */
export interface Arrival {
  header(name: string): string | undefined
  readonly response: RawResponse
  /** Sets the user on the request. */
  login(user: UserId): void
}

/** A request that has reached the handler. */
export interface Visit {
  header(name: string): string | undefined
  readonly response: RawResponse
  /** The decision that the adapter has set on the request. */
  readonly decision: Decision | undefined
  /** The key or the keys under which the limiter counts the request, in the adapter's own way. */
  keyOf(): Awaitable<Keys>
}

export interface Answer {
  readonly status: number
  readonly type: string
  readonly body: string | Readable
}

/** The options of a limiter for the framework, with its handler of denials made from the neutral one. */
export function optionsOf<R, H>(
  options: OptionsFor,
  read: Readers<R>,
  handlerOf: (deny: Denier) => H,
): WholeRule<R, H> {
  return inForm(options(read), handlerOf)
}

/** The name of the limiter that has these options. */
export function limiterName<R, H>(options: WholeRule<R, H>): string | undefined {
  return options.rules === undefined ? options.name : options.rules.name
}

function inForm<R, H>(
  { onDenied, ...options }: NeutralOptions<R>,
  handlerOf: (deny: Denier) => H,
): WholeRule<R, H> {
  return onDenied === undefined ? options : { ...options, onDenied: handlerOf(onDenied) }
}

/** A header from Node. Its first value counts. */
export function valueOf(value: string | string[] | undefined): string | undefined {
  return typeof value === 'string' ? value : value?.[0]
}

/** A value that the framework parsed: a string, as an application assumes. */
export function valueIn(parsed: unknown, name: string): string {
  return Reflect.get(Object(parsed), name)
}
