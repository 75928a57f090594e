import type { Decision } from '../../limiter/decision.js'
import type { Keys } from '../../limiter/bound-policies.js'
import { decisionEvents } from '../../limiter/events.js'
import { delayRequest } from '../../limiter/waiting/delay-request.js'
import type { Limiter } from '../../limiter/limiter.js'
import { after } from '../awaitable.js'
import type { RateLimitOptions } from '../options/options.js'
import { whenOver, type NodeResponse } from '../request/response.js'
import type { ConsumeTerms } from '../options/plan.js'

/** Returns undefined if the client disconnects while its request waits. The request has then consumed nothing. */
export type Consume = (
  request: unknown,
  response: NodeResponse,
  key: Keys,
  terms: ConsumeTerms,
) => Decision | undefined | Promise<Decision | undefined>

/** Makes the function that consumes units for a request, and delays the request if `wait` or a leaky queue asks for it. */
export function createConsume<R, H>(
  limiter: Limiter,
  { wait, dryRun = false }: RateLimitOptions<R, H>,
): Consume {
  if (dryRun) {
    return (request, _response, key, terms) => limiter.consume(key, withRequest(terms, request))
  }
  if (wait !== undefined) {
    return (request, response, key, terms) =>
      whileConnected(response, (signal) =>
        limiter.acquire(key, { ...withRequest(terms, request), signal, maxWait: wait.max }),
      )
  }
  return (request, response, key, terms) =>
    after(limiter.consume(key, withRequest(terms, request)), (decision) =>
      decision.delayMs === 0
        ? decision
        : whileConnected(response, (signal) =>
            delayRequest(limiter, { ...terms, key, decision }, signal),
          ),
    )
}

/** Adds the request only if decision events have a subscriber: the events carry it, and nothing else reads it. */
function withRequest(
  terms: ConsumeTerms,
  request: unknown,
): ConsumeTerms & { readonly request?: unknown } {
  const { decision, denial } = decisionEvents
  return decision.hasSubscribers || denial.hasSubscribers ? { ...terms, request } : terms
}

/** Runs work until the client disconnects. Returns undefined if it does. */
export async function whileConnected<T>(
  response: NodeResponse,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T | undefined> {
  const disconnect = new AbortController()
  const stopListening = whenOver(response, () => disconnect.abort())
  try {
    return await work(disconnect.signal)
  } catch (error) {
    if (disconnect.signal.aborted) return undefined
    throw error
  } finally {
    stopListening()
  }
}
