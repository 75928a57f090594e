import type { Keys } from '../../limiter/arguments.js'
import { whileConnected, type GuardedResponse } from '../request/response.js'
import type { RequestView } from '../request/view.js'
import type { EarlierHeaders } from '../response/fields.js'
import type { CarryOutOptions } from '../rules/ask-limits.js'
import type { Consumption, Judgement, RequestDecision } from '../rules/judgement.js'
import type { LimitResult } from '../rules/rule-decision.js'
import type { Action } from './action.js'
import type { Settle } from './settlement.js'

/** One request and its response, on their way through the stages of a guard. Each stage reads what the stages before it have found. */
export class Exchange<R, H> implements CarryOutOptions {
  // The fields are only declared, because fields with a value would be initialized by a function of their own.
  declare readonly view: RequestView<R>
  declare readonly response: GuardedResponse
  /** The headers that the response has already. */
  declare readonly earlier: EarlierHeaders
  /** The request, if the events of decisions carry it. */
  declare request: unknown
  /** The consumption that may deny the request: that of the limit, or of all enforced rules. */
  declare consumption: Consumption | undefined
  /** Undefined without rules. */
  declare judgement: Judgement | undefined
  /** The answer to the consumption. */
  declare result: LimitResult | undefined
  /** The decision that the application sees. */
  declare decision: RequestDecision | undefined
  /** The result. A stage that sets it ends the exchange. */
  declare action: Action<H> | undefined
  /** Settles a result that took units; undefined if no response can change what was counted. */
  declare readonly onTaken: ((result: LimitResult) => void) | undefined

  constructor(
    view: RequestView<R>,
    response: GuardedResponse,
    earlier: EarlierHeaders,
    settle: Settle | undefined,
  ) {
    this.view = view
    this.response = response
    this.earlier = earlier
    this.onTaken = settle === undefined ? undefined : (result) => settle(response, result)
    this.request = undefined
    this.consumption = undefined
    this.judgement = undefined
    this.result = undefined
    this.decision = undefined
    this.action = undefined
  }

  wait<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    return whileConnected(this.response, work)
  }
}

/** A step of the way of a request. A promise is returned only if the stage has to wait. */
export type Stage<R, H> = (exchange: Exchange<R, H>) => void | Promise<void>

/** Finds what a request is judged by. */
export interface Judge<R, H> {
  /** The stage that finds the consumption and the judgement, or the action if a list, the key or the rules do not limit the request. */
  readonly judge: Stage<R, H>
  /** The key or the keys under which a request counts. */
  keyOf(view: RequestView<R>): Keys | Promise<Keys>
}

/** Runs the stages in their order, until one of them finds the action. */
export function runStages<R, H>(
  stages: readonly Stage<R, H>[],
  exchange: Exchange<R, H>,
  from: number = 0,
): Action<H> | Promise<Action<H>> {
  for (let at = from; at < stages.length; at++) {
    const pending = stages[at](exchange)
    if (pending !== undefined) {
      return pending.then(() => exchange.action ?? runStages(stages, exchange, at + 1))
    }
    if (exchange.action !== undefined) return exchange.action
  }
  throw new TypeError('no stage has found the action')
}
