import { HttpException, StreamableFile } from '@nestjs/common'
import type { Decision } from '@sluice/core'
import type { Deny } from '@sluice/core/http'

/**
 * A request was denied. Nest's own exception filter answers it as it stands; the application's filters can do otherwise. The headers have
 * been set by then.
 */
export class RateLimitException extends HttpException {
  /** Absent where a list denied the request. */
  readonly decision: Decision | undefined

  constructor(action: Deny) {
    super(isUnanswerable(action) ? action.body : new DenialContent(action), action.status)
    this.decision = action.decision
  }
}

/** There are no headers where the answer has begun already, or nobody is there to read it: Node 24 throws where a file is piped into that. */
function isUnanswerable({ headers }: Deny): boolean {
  return headers.length === 0
}

/**
 * Nest makes JSON of whatever an exception holds, except of a file: that is sent as it is, with its own type. A filter that puts the
 * exception's response into JSON of its own gets the problem, not the file.
 */
class DenialContent extends StreamableFile {
  readonly #text: string

  constructor({ body, headers }: Deny) {
    // Its type is the last of the headers; there are none where the answer has begun already, or nobody is there to read it.
    const type = headers.at(-1)?.[1]
    super(new TextEncoder().encode(body), type === undefined ? {} : { type })
    this.#text = body
    // The one thing that can fail is a client that has gone away.
    this.setErrorLogger(() => {})
  }

  toJSON(): unknown {
    const isText = !this.getHeaders().type.endsWith('json')
    const content: unknown = isText ? this.#text : JSON.parse(this.#text)
    return content
  }
}
