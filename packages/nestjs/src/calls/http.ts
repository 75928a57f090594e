import type { ExecutionContext } from '@nestjs/common'
import { writeFields } from '@sluice/core/http'
import { headersOfReply, nodeOf, requestOf, responseOf, viewOf } from '../request.js'
import type { Call } from './call.js'

export function callOfHttp(context: ExecutionContext): Call {
  const request = requestOf(context)
  const response = responseOf(context)
  const node = nodeOf(response)
  return {
    view: viewOf(request),
    exchange: node,
    earlierThan: () => response,
    write(_limit, fields) {
      const headers = headersOfReply(response)
      writeFields(fields, headers)
      return headers
    },
    decided(decision) {
      if (decision !== undefined) request.rateLimit = decision
    },
    exceptionOf: async (exception) => (node.headersSent ? never : exception),
  }
}

const never = new Promise<never>(() => {})
