import type { Awaitable, RequestView } from '@sluice/core/http'
import type { Facts } from '../facts.js'
import { Cookies } from './cookie.js'

/**
 * The functions that read the declared values of a document from a request, by name. Each is called at most once for a request, and only if a rule
 * needs it.
 */
export type ValueFunctions<R> = Readonly<Record<string, (request: R) => Awaitable<unknown>>>

/** The parts of an HTTP request that rules can read. Each is read when a rule needs it. */
export class RequestFacts<R> implements Facts {
  readonly #view: RequestView<R>
  readonly #values: ReadonlyMap<string, (request: R) => unknown>
  #cookies: Cookies | undefined

  constructor(view: RequestView<R>, values: ReadonlyMap<string, (request: R) => unknown>) {
    this.#view = view
    this.#values = values
  }

  get method(): string {
    return this.#view.method
  }

  get url(): string | undefined {
    return this.#view.url
  }

  get route(): string | undefined {
    return this.#view.route
  }

  get ip(): string | undefined {
    return this.#view.address
  }

  get routedUrl(): string | undefined {
    return this.#view.routedUrl
  }

  get semicolonEndsPath(): boolean | undefined {
    return this.#view.semicolonEndsPath
  }

  get params(): Readonly<Record<string, unknown>> | undefined {
    return this.#view.params
  }

  /** HTTP/2 sends the host as `:authority`, and a client can send both. */
  get host(): readonly string[] {
    const sent = [this.#view.host, this.header(':authority'), this.header('host')]
    return sent.flatMap((host) => host ?? [])
  }

  header(name: string): string | undefined {
    const { headers } = this.#view
    // Every object inherits names such as `constructor`.
    const sent = Object.hasOwn(headers, name) ? headers[name] : undefined
    return typeof sent === 'object' ? sent.join(', ') : sent
  }

  cookie(name: string): string | readonly string[] | undefined {
    this.#cookies ??= new Cookies(this.header('cookie') ?? '')
    const values = this.#cookies.valuesOf(name)
    return values.length > 1 ? values : values[0]
  }

  value(name: string): unknown {
    return this.#values.get(name)?.(this.#view.raw)
  }
}
