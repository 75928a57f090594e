import { HttpException, StreamableFile } from '@nestjs/common'
import type { Deny, RequestDecision } from '@sluice/core/http'

/**
 * The exception for a denied request. Nest's own exception filter sends it unchanged; filters of the application can send another response. The
 * headers are already set.
 */
export class RateLimitException extends HttpException {
  /** Undefined if the list `deny` contains the client. */
  readonly decision: RequestDecision | undefined

  constructor(action: Deny) {
    super(isUnsendable(action) ? action.body : new DenialContent(action), action.status)
    this.decision = action.decision
  }
}

/** A denial has no headers if a response was sent already or the client has disconnected. Node 24 throws if a file is piped into such a response. */
function isUnsendable({ headers }: Deny): boolean {
  return headers.length === 0
}

/**
 * Nest serializes the content of an exception to JSON, except a file, which it sends unchanged with its own type. A filter that puts the response of the
 * exception into its own JSON receives the problem and not the file.
 */
class DenialContent extends StreamableFile {
  readonly #text: string

  constructor({ body, headers }: Deny) {
    // `Content-Type` is the last header of a denial.
    const type = headers.at(-1)?.[1]
    super(new TextEncoder().encode(body), type === undefined ? {} : { type })
    this.#text = body
    // Sending fails only if the client disconnects.
    this.setErrorLogger(() => {})
  }

  toJSON(): unknown {
    const isText = !this.getHeaders().type.endsWith('json')
    const content: unknown = isText ? this.#text : JSON.parse(this.#text)
    return content
  }
}
