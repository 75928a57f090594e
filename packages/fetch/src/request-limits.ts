import {
  joinFields,
  type HeaderField,
  type RequestDecision,
  type ResponseHeaders,
} from '@sluice/core/http'
import type { Platform } from './platform.js'

/**
 * The limits that a web Request has passed, and the fields of all of them, joined in the order in which they were asked. Each limit writes all fields into
 * the response that it returns, so that the response of the outermost one has them, whichever response that is.
 */
export class RequestLimits implements ResponseHeaders {
  /** The last decision. */
  decision: RequestDecision | undefined
  /** The platform of the outermost limit: a limit within it may be called without the arguments of the server. */
  platform: Platform | undefined
  readonly #limits: object[] = []
  readonly #fields = new Map<string, string>()

  /** Begins to ask a limit. A limit that was asked before shows that the application uses a Request again, as tests do: it then is a new request. */
  begin(limit: object, platform: Platform | undefined): void {
    if (this.#limits.includes(limit)) {
      this.#limits.length = 0
      this.#fields.clear()
      this.decision = undefined
      this.platform = undefined
    }
    this.#limits.push(limit)
    this.platform ??= platform
  }

  add(fields: readonly HeaderField[]): void {
    for (const [name, value] of joinFields(this, fields)) this.#fields.set(name, value)
  }

  get fields(): Iterable<HeaderField> {
    return this.#fields
  }

  getHeader(name: string): string | undefined {
    return this.#fields.get(name)
  }

  setHeader(name: string, value: string): void {
    this.#fields.set(name, value)
  }

  removeHeader(name: string): void {
    this.#fields.delete(name)
  }
}

const known = new WeakMap<object, RequestLimits>()

/** The limits of a request, which are made if it has none yet. */
export function limitsOf(request: object): RequestLimits {
  let limits = known.get(request)
  if (limits === undefined) {
    limits = new RequestLimits()
    known.set(request, limits)
  }
  return limits
}

/**
 * The decision on a request: that of the last limit that decided it. Undefined if the request was not limited.
 *
 * @example
 * import { decisionOf, rateLimit } from '@sluice/fetch'
 *
 * const limit = rateLimit({ limit: 100, window: '1m' })
 * const handler = limit((request: Request) => new Response(`${decisionOf(request)?.remaining} left`))
 */
export function decisionOf(request: Request): RequestDecision | undefined {
  return known.get(request)?.decision
}
