import type {
  EarlierHeaders,
  GuardedResponse,
  HeaderField,
  RequestDecision,
  RequestView,
  ResponseHeaders,
} from '@sluice/core/http'
import type { Limited } from '../nest-call.js'
import type { LimitException } from '../rate-limit-exception.js'
import type { MethodExchange } from './method-exchange.js'

/** A call as the guard needs it, on any transport. */
export interface Call {
  readonly view: RequestView<Limited>
  /** Node's own response, or an exchange whose end the methods report. */
  readonly exchange: GuardedResponse | MethodExchange
  /** The headers of the response without those of this limit. */
  earlierThan(limit: object): EarlierHeaders
  /** Writes the headers of a limit, if a response is in reach. Returns the headers, from which a header of the limit can be removed. */
  write(limit: object, fields: readonly HeaderField[]): ResponseHeaders
  /** Shows the decision to the method. */
  decided(decision: RequestDecision | undefined): void
  /** The exception of the transport. It never resolves if a response was begun already: an exception would make Nest truncate it. */
  exceptionOf(exception: LimitException): Promise<Error>
  /** The GraphQL operation of the call. The limit of the module counts an operation once. */
  readonly operation?: object
}
