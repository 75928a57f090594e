import {
  joinFields,
  type Body,
  type EarlierHeaders,
  type HeaderField,
  type RequestDecision,
} from '@sluice/core/http'
import type { Platform } from './platform.js'
import { withFields } from './responses.js'

let requests = 0

/**
 * The limits that a web Request has passed, and the fields of all of them, joined in the order in which they were asked. Each limit writes all fields into
 * the response that it returns, so that the response of the outermost one has them, whichever response that is.
 */
export class RequestLimits implements EarlierHeaders {
  /** The last decision. */
  decision: RequestDecision | undefined
  /** The platform of the outermost limit: a limit within it may be called without the arguments of the server. */
  platform: Platform | undefined
  readonly #limits: object[] = []
  readonly #fields = new Map<string, string>()
  /** Counts the requests in the order in which they began. */
  #number: number = requests++

  /** Begins to ask a limit. A limit that was asked before shows that the application uses a Request again, as tests do: it then is a new request. */
  begin(limit: object, platform: Platform | undefined): void {
    if (this.#limits.includes(limit)) {
      this.#limits.length = 0
      this.#fields.clear()
      this.decision = undefined
      this.platform = undefined
      this.#number = requests++
    }
    this.#limits.push(limit)
    this.platform ??= platform
  }

  add(fields: readonly HeaderField[]): void {
    for (const [name, value] of joinFields(this, fields)) this.#fields.set(name, value)
  }

  get fields(): [name: string, value: string][] {
    return [...this.#fields]
  }

  /**
   * The response with the fields and, if given, with this body. If the application has replaced the Request, the response has the fields of the limits that were
   * asked about the new one, and both are joined. If it uses a response for several requests, the fields are those of an earlier request or of the same limits.
   */
  written(response: Response, body?: Body): Response {
    const last = writers.get(response)
    if (
      last !== undefined &&
      last.#number > this.#number &&
      !last.#limits.some((limit) => this.#limits.includes(limit))
    ) {
      this.#limits.push(...last.#limits)
      this.add(last.fields)
    }
    const result = withFields(response, this.#fields, body)
    writers.set(result, this)
    return result
  }

  getHeader(name: string): string | undefined {
    return this.#fields.get(name)
  }

  removeHeader(name: string): void {
    this.#fields.delete(name)
  }
}

const known = new WeakMap<object, RequestLimits>()

/** The limits whose fields a response has. */
const writers = new WeakMap<Response, RequestLimits>()

/** The limits of a request, which are made if it has none yet. */
export function limitsOf(request: object): RequestLimits {
  const limits = known.get(request) ?? new RequestLimits()
  known.set(request, limits)
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
