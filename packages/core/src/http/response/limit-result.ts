import type { Awaitable } from '../../awaitable.js'
import type { Keys } from '../../limiter/arguments.js'
import type { Policies } from '../../limiter/limiter-policies.js'
import type { Decision, HeldLease } from '../../limiter/decision.js'
import type { Limiter } from '../../limiter/limiter.js'
import type { AfterResponse } from '../request/exchange.js'
import type { GuardedResponse } from '../request/node-exchange.js'
import type { RequestView } from '../request/view.js'

/** The body of a denial. A string is sent as plain text, an object as JSON. */
export type DenialBody = string | object

/** Returns the body of a denial. */
export type DenialBodyFunction<R> = (request: R, decision: RequestDecision) => Awaitable<DenialBody>

/** The treatment of a request that a rule denies. */
export type Outcome =
  | { readonly type: 'deny'; readonly status: number; readonly body?: DenialBody }
  | { readonly type: 'delay'; readonly maxMs: number }
  | { readonly type: 'challenge'; readonly kind: string; readonly [detail: string]: unknown }
  | { readonly type: 'tag'; readonly tag: string }

/** A decision, and the rules that made it. */
export interface RuleDecision extends Decision {
  /** The rule that decided the outcome; undefined if the request is allowed. */
  readonly rule: string | undefined
  /** The outcome of that rule. */
  readonly outcome: Outcome | undefined
  /** The rules that were asked, in the order of the document, without shadow rules. */
  readonly applied: readonly string[]
  /** The tags of the request. */
  readonly tags: readonly string[]
  /** The version of the rules that decided. */
  readonly rules: string
}

/** The decision on an HTTP request. With `rules`, it has all fields of a `RuleDecision`; without, those of a `Decision`. */
export interface RequestDecision extends Decision, Partial<Omit<RuleDecision, keyof Decision>> {}

/** Decides requests in place of a limit: `loadRules` of `@sluice/rules` returns such rules. */
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
  /** Runs work that delays the request. The signal ends it when the client disconnects. */
  delay<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T>
  /** Runs work once after the response, however it ends. A lease is renewed until then; with `releaseOn: 'done'`, until the handler is done. */
  afterResponse(lease: HeldLease | undefined, work: AfterResponse): void
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

/** An answer to a denied request. The options have each member that is absent. */
export interface DenialAnswer {
  readonly status?: number | undefined
  readonly body?: DenialBody | undefined
  /** Further members of the problem. */
  readonly members?: object | undefined
}

/** The names that clients read instead of the names of policies. Policies without an entry keep their names. */
export type PublicNames = ReadonlyMap<string, { readonly publicName?: string }>
