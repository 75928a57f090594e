import { HttpException } from '@nestjs/common'
import { SluiceError, type ErrorCode } from '@sluice/core'

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
