import { HttpException, StreamableFile } from '@nestjs/common'
import type { Deny, RequestDecision } from '@sluice/core/http'
import { SluiceError, type ErrorCode } from '@sluice/core'
import { firmWaitOf, isRecord } from '@sluice/core/internal'

/** An exception of a limit. */
export type LimitException = RateLimitException | RequestException

/**
 * The exception for a denied request or GraphQL field. Nest's own exception filter sends it unchanged; filters of the application can send another
 * response. The headers are already set.
 */
export class RateLimitException extends HttpException {
  /** Undefined if the list `deny` contains the client, or if the client has disconnected while it waited: the status is then 499. */
  readonly decision: RequestDecision | undefined
  /** The extensions of the error in a GraphQL response. */
  readonly extensions: DenialReport

  constructor(action: Deny) {
    const extensions = reportOf(action)
    const message = messages[extensions.code]
    // A denial has no headers if a response was sent already or the client has disconnected. Node 24 throws if a file is piped into such a response.
    const isSendable = action.headers.length > 0
    super(isSendable ? new DenialContent(action, message) : action.body, action.status)
    this.decision = action.decision
    this.extensions = extensions
    this.message = message
  }
}

const messages: Readonly<Record<DenialReport['code'], string>> = {
  RATE_LIMITED: 'Too many requests',
  FORBIDDEN: 'Forbidden',
  CLIENT_CLOSED_REQUEST: 'Client Closed Request',
}

/** A denial as clients of GraphQL and of messages read it. */
export interface DenialReport {
  /** `FORBIDDEN` for a client in the list `deny`, `CLIENT_CLOSED_REQUEST` for one that has disconnected. */
  readonly code: 'RATE_LIMITED' | 'FORBIDDEN' | 'CLIENT_CLOSED_REQUEST'
  /** Milliseconds until the same call is allowed; null if it never is. 1000 if only leases deny it, which may be released at any moment. */
  readonly retryAfterMs?: number | null
  readonly 'violated-policies'?: readonly string[]
}

function reportOf({ decision, violated, status }: Deny): DenialReport {
  if (decision === undefined)
    return { code: status === 499 ? 'CLIENT_CLOSED_REQUEST' : 'FORBIDDEN' }
  const firmMs = firmWaitOf(decision)
  const retryAfterMs = firmMs === 0 ? 1000 : firmMs
  return { code: 'RATE_LIMITED', retryAfterMs, 'violated-policies': violated }
}

/**
 * Nest serializes the content of an exception to JSON, except a file, which it sends unchanged with its own type. A filter that puts the response of the
 * exception into its own JSON receives the problem and not the file, also if it copies the properties.
 */
class DenialContent extends StreamableFile {
  readonly #content: unknown

  constructor({ body, headers }: Deny, message: string) {
    // `Content-Type` is the last header of a denial.
    const type = headers.at(-1)?.[1]
    super(new TextEncoder().encode(body), type === undefined ? {} : { type })
    // Sending fails only if the client disconnects.
    this.setErrorLogger(() => {})
    this.#content = type?.endsWith('json') === true ? JSON.parse(body) : body
    for (const name of Object.keys(this)) Object.defineProperty(this, name, { enumerable: false })
    const fields = isRecord(this.#content) ? this.#content : {}
    for (const [name, value] of Object.entries({ message, ...fields })) {
      if (!(name in this)) Object.defineProperty(this, name, { value, enumerable: true })
    }
  }

  toJSON(): unknown {
    return this.#content
  }
}

/**
 * The exception for a request or a GraphQL field that is wrong: it has no key, or an invalid one. Nest's own exception filter answers it with its status and its
 * message, and filters of the application recognize it like any other `HttpException`. Its `cause` is the SluiceError.
 */
export class RequestException extends HttpException {
  readonly code: ErrorCode
  /** The extensions of the error in a GraphQL response. */
  readonly extensions: { readonly code: 'BAD_REQUEST' } = { code: 'BAD_REQUEST' }

  constructor(error: SluiceError, status: number) {
    super(error.message, status, { cause: error })
    this.code = error.code
  }
}

/** The error that Nest receives for an error of a limit. */
export function exceptionOf(error: unknown): unknown {
  const isRequest = error instanceof SluiceError && error.status !== undefined
  return isRequest ? new RequestException(error, error.status) : error
}
