import type { Awaitable } from '../../awaitable.js'
import type { Keys } from '../../limiter/arguments.js'
import type { Policies } from '../../limiter/limiter-policies.js'
import type { Decision } from '../../limiter/decision.js'
import type { Limiter } from '../../limiter/limiter.js'
import type { ResponseOutcome } from '../request/exchange.js'
import type { GuardedResponse } from '../request/node-exchange.js'
import type { RequestView } from '../request/view.js'
import type { DenialBody, RequestDecision } from './request-decision.js'

/** Decides requests in place of a limit, and brings what follows their responses. */
export interface Rules<R> {
  /** The name of the limiter, and so the namespace of the counts. */
  readonly name: string
  /** Decides one request. Undefined if it is not limited. An error fails the request. */
  decide(context: RequestContext<R>): Awaitable<LimitResult | undefined>
}

/** One request and its response, on their way through a limit. */
export interface RequestContext<R> {
  readonly limiter: Limiter
  readonly view: RequestView<R>
  readonly response: GuardedResponse
  /** Whether the request continues in any case. Nothing delays it then. */
  readonly dryRun: boolean
  /** When a lease is released. */
  readonly releaseOn: 'done' | 'close'
  /** Whether the adapter sees the response. If not, nothing that depends on it can be limited: see `assertWithoutResponse`. */
  readonly seesResponse: boolean
}

/** How a limit has decided a request. */
export interface LimitResult {
  /** The decision that the application sees. */
  readonly decision: RequestDecision
  /** The counts that the headers describe. Undefined if none was asked. */
  readonly counted?: Counted | undefined
  /** The answer to a denied request, in place of that of the options. */
  readonly answer?: DenialAnswer | undefined
  /** Called if the handler of denied requests lets the request continue. */
  proceed?(): unknown
}

/** The counts of a decision. */
export interface Counted {
  readonly decision: Decision
  /** The same object for the same policies, because their items in headers are cached by it. */
  readonly policies: Policies
  readonly keys: Keys
  /** The names of policies that clients read instead of their own. */
  readonly names?: PublicNames
}

/** The changes that the response to a request makes to its counts. */
export interface ResponseTerms extends Counted {
  /** Finds the policies that do not count such a response. Absent if any response counts. */
  readonly uncounted?: ((outcome: ResponseOutcome) => Awaitable<readonly string[]>) | undefined
  /** The policies whose counts a success resets. */
  readonly resets: readonly string[]
  /** Takes the units of a request that has taken none, if all its policies count the response. */
  readonly takeLater?: (() => unknown) | undefined
}

/** An answer to a denied request. The options have each member that is absent. */
export interface DenialAnswer {
  readonly status?: number | undefined
  readonly body?: DenialBody | undefined
  /** Further members of the problem. */
  readonly members?: object | undefined
}

/** The names that clients read instead of the names of policies. Policies without an entry keep their names. */
export type PublicNames = ReadonlyMap<string, { readonly publicName?: string }>
