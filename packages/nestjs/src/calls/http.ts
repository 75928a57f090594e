import type { ExecutionContext } from '@nestjs/common'
import {
  writeFields,
  type Deny,
  type EarlierHeaders,
  type HeaderField,
  type NodeResponse,
  type RequestDecision,
  type RequestView,
  type ResponseHeaders,
} from '@sluice/core/http'
import { RateLimitException } from '../rate-limit-exception.js'
import {
  headersOfReply,
  nodeOf,
  requestOf,
  responseOf,
  viewOf,
  type PlatformRequest,
  type PlatformResponse,
} from '../request.js'
import type { Call } from './call.js'

export function callOfHttp(context: ExecutionContext): Call {
  return new HttpCall(requestOf(context), responseOf(context))
}

class HttpCall implements Call {
  readonly view: RequestView<PlatformRequest>
  readonly exchange: NodeResponse
  readonly #response: PlatformResponse

  constructor(request: PlatformRequest, response: PlatformResponse) {
    this.view = viewOf(request)
    this.exchange = nodeOf(response)
    this.#response = response
  }

  earlierThan(): EarlierHeaders {
    return this.#response
  }

  write(_limit: object, fields: readonly HeaderField[]): ResponseHeaders {
    const headers = headersOfReply(this.#response)
    writeFields(fields, headers)
    return headers
  }

  decided(decision: RequestDecision | undefined): void {
    if (decision !== undefined) this.view.raw.rateLimit = decision
  }

  denial(action: Deny): Error | undefined {
    return this.exchange.headersSent ? undefined : new RateLimitException(action)
  }
}
