import type { Decision, DecisionMode, Limiter } from '@sluice/core'
import { warnOfFailure, type Awaitable } from '@sluice/core/http'
import { delayRequest, isPromise, waitAfter } from '@sluice/core/internal'
import { delayOfAll, delayOfDenial } from './delays.js'
import { takesLater, type Ask, type LimitCheck, type RuleMatch } from './match.js'
import type { RuleDecision } from './outcome.js'
import { nothingAsked, ruleDecision, type CheckResult, type CheckResults } from './rule-decision.js'

/** The parts that differ between a request over HTTP and one without it. */
export interface ApplyOptions {
  /** The object that the events of decisions carry. */
  readonly request?: unknown
  readonly mode?: 'enforced' | 'dryRun'
  /** Whether nothing is counted, neither by the limiter nor by the rules. Shadow checks are then left out. */
  readonly isPeek?: boolean
  /** Runs work that delays the request. The signal ends it. Without this function nothing delays a request. */
  delay?<T>(work: (signal: AbortSignal | undefined) => Promise<T>): Promise<T>
  /** Called for each check that took units, also for a shadow one, and for a tagging one that denied, when the request is allowed. */
  onTaken?(result: CheckResult): void
}

/** The options of `decideByRules`. */
export interface DecideOptions {
  /** Ends a delay. The promise then rejects with the signal's reason, and nothing is consumed. */
  readonly signal?: AbortSignal
}

/**
 * Decides one request without HTTP.
 *
 * The policies of tagging checks are in `policies`, and in no other number of the decision. `limiter.refund` refunds all checks of the decision, or those of
 * the policies that it names. The lease of a shadow check expires, because no caller holds it.
 *
 * @throws the error of a check that made no decision; the others are refunded then
 */
export async function decideByRules(
  limiter: Limiter,
  match: RuleMatch,
  { signal }: DecideOptions = {},
): Promise<RuleDecision> {
  const options: ApplyOptions = { delay: (work) => work(signal) }
  return ruleDecision(match, await applyLimits(limiter, match, options))
}

/**
 * Applies the limits of a match: the enforced checks first. If all allow, the tagging checks are made and awaited, and the shadow checks are made and not
 * awaited. If a tagging check fails, the units of all are refunded.
 */
export async function applyLimits(
  limiter: Limiter,
  match: RuleMatch,
  options: ApplyOptions,
): Promise<CheckResults> {
  if (match.type !== 'ask') return nothingAsked
  const { enforced: own, tagging, shadow, lateShadow }: Ask = match
  const passed: CheckResult[] = []
  for (const check of own) {
    const result = await enforce(limiter, check, options)
    if (result.decision.allowed) {
      passed.push(result)
      continue
    }
    // What they took stays taken if they count attempts, and is settled after the response.
    for (const earlier of passed) options.onTaken?.(earlier)
    return { enforced: result, tagging: [] }
  }

  const tags = Promise.allSettled(
    tagging.map(async (one) => apply(limiter, one, options, 'tagging')),
  )
  if (options.isPeek !== true) {
    void applyShadow(limiter, shadow, options)
    if (lateShadow !== undefined) void applyShadow(limiter, lateShadow, options)
  }
  const settled = await tags

  const taken = settled.flatMap((tag) => (tag.status === 'fulfilled' ? [tag.value] : []))
  const all = [...passed, ...taken]
  const failure = settled.find((tag) => tag.status === 'rejected')
  if (failure !== undefined) {
    await Promise.all(
      all.map(async ({ decision }) => decision.allowed && refund(limiter, decision)),
    )
    throw failure.reason
  }
  // The request continues, so its success also resets the count of a tagging limit that denied it.
  for (const result of all) options.onTaken?.(result)
  const enforced = passed.pop()
  return { enforced, tagging: [...passed, ...taken] }
}

/** Makes the check that may deny the request, and delays the request if its rules say so, or a leaky queue does. */
async function enforce(
  limiter: Limiter,
  check: LimitCheck,
  options: ApplyOptions,
): Promise<CheckResult> {
  const { keys: key, policies, rules, cost } = check
  const { request, mode = 'enforced', delay } = options
  if (mode === 'dryRun' || delay === undefined || takesLater(check))
    return apply(limiter, check, options, mode)
  let leaves: AbortSignal | undefined

  /** Waits until the units are available, as long as each limit that denies the request has a delay that is not over. */
  const acquire = async (maxWait: number): Promise<Decision> => {
    const waits = { [waitAfter]: (denial: Decision) => delayOfDenial(rules, denial) }
    return delay(async (signal) => {
      leaves = signal
      return limiter.acquire(key, {
        cost,
        policies,
        maxWait,
        request,
        ...waits,
        ...(signal && { signal }),
      })
    })
  }

  const decide = async (): Promise<Decision> => {
    const longest = delayOfAll(check)
    if (longest !== undefined) return acquire(longest)
    const decision = await limiter.consume(key, { cost, policies, mode, request })
    const maxWait = decision.allowed ? undefined : delayOfDenial(rules, decision)
    return maxWait === undefined ? decision : acquire(maxWait)
  }
  const result = await told(check, decide, () => leaves?.aborted === true)
  const { decision } = result
  if (!decision.allowed || decision.delayMs === 0) return result
  const later = await delay((signal) => delayRequest(limiter, decision, signal))
  return { consumption: check, decision: later }
}

async function apply(
  limiter: Limiter,
  check: LimitCheck,
  { request, onTaken, isPeek = false }: ApplyOptions,
  mode: DecisionMode,
): Promise<CheckResult> {
  const { keys, policies, cost } = check
  if (isPeek) return peekAt(limiter, check)
  // Only the end of a response can take units later.
  if (onTaken !== undefined && takesLater(check)) {
    const result = await peekAt(limiter, check)
    const { decision } = result
    if (decision.allowed) {
      tell(() => check.onDecision?.(decision))
      return { ...result, isTaken: false }
    }
  }
  return told(check, () => limiter.consume(keys, { cost, policies, mode, request }))
}

/** The decision that a check would have now. */
export async function peekAt(limiter: Limiter, check: LimitCheck): Promise<CheckResult> {
  const { keys, policies, cost } = check
  return { consumption: check, decision: await limiter.peek(keys, { cost, policies }) }
}

/** Takes the units of a check after the response. Its denial denies no request. */
export async function takeUnits(
  limiter: Limiter,
  { keys, policies, cost }: LimitCheck,
  request: unknown,
): Promise<void> {
  await limiter.consume(keys, { cost, policies, request, mode: 'shadow' })
}

/** Makes a decision, and tells it to the statistics of the rules, or the error that kept them from one. */
async function told(
  check: LimitCheck,
  decide: () => Decision | Promise<Decision>,
  hasLeft: () => boolean = () => false,
): Promise<CheckResult> {
  try {
    const decision = await decide()
    tell(() => check.onDecision?.(decision))
    return { consumption: check, decision }
  } catch (error) {
    if (!hasLeft()) tell(() => check.onError?.(error))
    throw error
  }
}

/** Nothing of shadow checks reaches the request: neither an error of their values nor one of the limiter, which `onError` has received. */
async function applyShadow(
  limiter: Limiter,
  checks: Awaitable<readonly LimitCheck[]>,
  options: ApplyOptions,
): Promise<void> {
  const all = isPromise(checks) ? await Promise.resolve(checks).catch(() => []) : checks
  const ignored = all.map(async (check) => {
    const result = await apply(limiter, check, options, 'shadow')
    if (result.decision.allowed) options.onTaken?.(result)
  })
  await Promise.allSettled(ignored)
}

/** A refund that fails changes no decision: units that stay taken expire, so the limit errs on the strict side. */
async function refund(limiter: Limiter, decision: Decision): Promise<void> {
  try {
    await limiter.refund(decision)
  } catch (error) {
    warnOfFailure(error)
  }
}

/** Calls a listener of the rules. Its errors fail no request. */
function tell(call: () => void): void {
  try {
    call()
  } catch (error) {
    warnOfFailure(error)
  }
}
