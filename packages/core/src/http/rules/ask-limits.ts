import type { Decision, DecisionMode } from '../../limiter/decision.js'
import type { Limiter } from '../../limiter/limiter.js'
import { waitAfter } from '../../limiter/acquire.js'
import { delayRequest } from '../../limiter/waits.js'
import { after, rescued, together } from '../../awaitable.js'
import { warnOfFailure } from '../request/mistakes.js'
import { delayOfAll, delayOfDenial } from './delays.js'
import type { Ask, Consumption } from './judgement.js'
import { nothingAsked, type LimitResults, type LimitResult } from './rule-decision.js'

/** The parts that differ between a request over HTTP and one without it. */
export interface CarryOutOptions {
  /** The object that the events of decisions carry. */
  readonly request?: unknown
  /** Runs work that delays the request. The signal ends it. Without this function nothing delays a request. */
  wait?<T>(work: (signal: AbortSignal | undefined) => Promise<T>): Promise<T>
  /** Called for each consumption that took units, also for a shadow one, and for a tagging one that denied, when the request is allowed. */
  readonly onTaken?: ((result: LimitResult) => void) | undefined
}

/** The consumptions of a judgement that cannot deny its request. */
export type OtherLimits = Pick<Ask, 'tagging' | 'shadow' | 'lateShadow'>

/**
 * Asks a consumption, and the others if it allows the request.
 *
 * @param mode the mode of the consumption: in a dry run nothing delays the request
 */
export function askLimits(
  limiter: Limiter,
  enforced: Consumption | undefined,
  others: OtherLimits | undefined,
  options: CarryOutOptions,
  mode: 'enforced' | 'dryRun',
): LimitResults | Promise<LimitResults> {
  if (enforced === undefined) {
    return others === undefined ? nothingAsked : askOthers(limiter, undefined, others, options)
  }
  const result = decided(limiter, enforced, options, mode)
  const mayWait = mode === 'enforced'
  return result instanceof Promise
    ? result.then((made) => afterEnforced(limiter, made, others, options, mayWait))
    : afterEnforced(limiter, result, others, options, mayWait)
}

/** Continues after the consumption that may deny the request. A leaky queue delays it first; if the delay fails, its units are refunded. */
function afterEnforced(
  limiter: Limiter,
  enforced: LimitResult,
  others: OtherLimits | undefined,
  options: CarryOutOptions,
  mayWait: boolean,
): LimitResults | Promise<LimitResults> {
  const { consumption, decision } = enforced
  if (!decision.allowed) return { enforced, tagging: nothingAsked.tagging }
  if (decision.delayMs > 0 && mayWait && options.wait !== undefined) {
    const { keys, policies } = consumption
    const delayed = options.wait((signal) =>
      delayRequest(limiter, { key: keys, policies, decision }, signal),
    )
    return delayed.then((later) =>
      afterEnforced(limiter, { consumption, decision: later }, others, options, false),
    )
  }
  if (others !== undefined) return askOthers(limiter, enforced, others, options)
  options.onTaken?.(enforced)
  return { enforced, tagging: nothingAsked.tagging }
}

/** Asks the consumptions that cannot deny a request. If one of them fails, the units of all are refunded. */
function askOthers(
  limiter: Limiter,
  enforced: LimitResult | undefined,
  { tagging, shadow, lateShadow }: OtherLimits,
  options: CarryOutOptions,
): LimitResults | Promise<LimitResults> {
  const answers = together(tagging, (consumption) =>
    rescued<LimitResult | Failure>(
      () => decided(limiter, consumption, options, 'tagging'),
      (error) => ({ error }),
    ),
  )
  for (const consumption of shadow) askShadow(limiter, consumption, options)
  if (lateShadow !== undefined) void askLateShadow(limiter, lateShadow, options)
  return after(answers, (all) => {
    const tags = all.filter(isResult)
    const taken = tags.filter(({ decision }) => decision.allowed)
    if (enforced !== undefined) taken.unshift(enforced)
    for (const answer of all) {
      if (!isResult(answer)) return after(refund(limiter, taken), () => rethrow(answer.error))
    }
    if (enforced !== undefined) options.onTaken?.(enforced)
    // The request continues, so its success also resets the count of a limit that denied it.
    for (const result of tags) options.onTaken?.(result)
    return { enforced, tagging: tags }
  })
}

/** Nothing of a shadow consumption reaches the request, not even its error. */
function askShadow(limiter: Limiter, consumption: Consumption, options: CarryOutOptions): void {
  void rescued<void>(
    () =>
      after(decided(limiter, consumption, options, 'shadow'), (result) => {
        if (result.decision.allowed) options.onTaken?.(result)
      }),
    () => {},
  )
}

async function askLateShadow(
  limiter: Limiter,
  late: PromiseLike<readonly Consumption[]>,
  options: CarryOutOptions,
): Promise<void> {
  try {
    for (const consumption of await late) askShadow(limiter, consumption, options)
  } catch {
    // An error of a value for shadow rules is not that of the request.
  }
}

/** Asks one consumption, and tells its listeners. The outcome of enforced rules can delay the request. */
function decided(
  limiter: Limiter,
  consumption: Consumption,
  options: CarryOutOptions,
  mode: DecisionMode,
): LimitResult | Promise<LimitResult> {
  const { keys, policies, cost } = consumption
  const { request } = options
  const mayWait = mode === 'enforced' && options.wait !== undefined
  const maxWait = mayWait ? delayOfAll(consumption.rules) : undefined
  if (maxWait !== undefined) return acquired(limiter, consumption, options, maxWait)
  try {
    const call =
      mode === 'enforced' && request === undefined
        ? { cost, policies }
        : { cost, policies, mode, request }
    const decision = limiter.consume(keys, call)
    if (decision instanceof Promise) {
      return decision.then(
        (made) => answered(limiter, consumption, options, mayWait, made),
        (error: unknown) => failed(consumption, error),
      )
    }
    if (decision.allowed && consumption.onDecision === undefined) return { consumption, decision }
    return answered(limiter, consumption, options, mayWait, decision)
  } catch (error) {
    return failed(consumption, error)
  }
}

function answered(
  limiter: Limiter,
  consumption: Consumption,
  options: CarryOutOptions,
  mayWait: boolean,
  decision: Decision,
): LimitResult | Promise<LimitResult> {
  if (mayWait && !decision.allowed) {
    const maxWait = delayOfDenial(consumption.rules, decision)
    if (maxWait !== undefined) return acquired(limiter, consumption, options, maxWait)
  }
  if (consumption.onDecision !== undefined) told(() => consumption.onDecision?.(decision))
  return { consumption, decision }
}

/** Waits until the units are available, as long as each limit that denies the request has a delay that is not over. */
async function acquired(
  limiter: Limiter,
  consumption: Consumption,
  options: CarryOutOptions,
  maxWait: number,
): Promise<LimitResult> {
  const { keys, policies, cost, rules } = consumption
  const { request } = options
  const call = {
    cost,
    policies,
    maxWait,
    [waitAfter]: (denial: Decision) => delayOfDenial(rules, denial),
    ...(request === undefined ? {} : { request }),
  }
  let signal: AbortSignal | undefined
  async function acquire(own: AbortSignal | undefined): Promise<Decision> {
    signal = own
    return limiter.acquire(keys, own === undefined ? call : { ...call, signal: own })
  }
  try {
    const decision = await (options.wait === undefined ? acquire(undefined) : options.wait(acquire))
    return await answered(limiter, consumption, options, false, decision)
  } catch (error) {
    if (signal?.aborted === true) throw error
    return failed(consumption, error)
  }
}

function failed(consumption: Consumption, error: unknown): never {
  told(() => consumption.onError?.(error))
  throw error
}

/** A refund that fails changes no decision: units that stay taken expire, so the limit errs on the strict side. */
function refund(limiter: Limiter, results: readonly LimitResult[]): unknown {
  return after(
    together(results, ({ decision }) =>
      rescued<unknown>(() => limiter.refund(decision), warnOfFailure),
    ),
    () => {},
  )
}

interface Failure {
  readonly error: unknown
}

function isResult(answer: LimitResult | Failure): answer is LimitResult {
  return 'decision' in answer
}

/** Calls a listener of the rules. Its errors fail no request. */
function told(call: () => void): void {
  try {
    call()
  } catch (error) {
    warnOfFailure(error)
  }
}

function rethrow(error: unknown): never {
  throw error
}
