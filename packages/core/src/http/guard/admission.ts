import type { Decision } from '../../limiter/decision.js'
import type { Keys } from '../../limiter/bound-policies.js'
import { decisionEvents } from '../../limiter/events.js'
import { hold } from '../../limiter/waiting/hold.js'
import type { Limiter } from '../../limiter/limiter.js'
import { after } from '../awaitable.js'
import type { RateLimitOptions } from '../options/options.js'
import { whenOver, type NodeResponse } from '../request/response.js'
import type { ConsumeTerms } from '../options/terms.js'

/** Asks the limiter. Undefined if the client left before its request was admitted: nothing is taken then. */
export type Admit = (
  request: unknown,
  response: NodeResponse,
  key: Keys,
  terms: ConsumeTerms,
) => Decision | undefined | Promise<Decision | undefined>

/** Makes what admits a request: at once, or after the time for which `wait` or a leaky queue holds it. */
export function createAdmission<R, H>(
  limiter: Limiter,
  { wait, dryRun = false }: RateLimitOptions<R, H>,
): Admit {
  if (dryRun) {
    return (request, _response, key, terms) => limiter.consume(key, heard(terms, request))
  }
  if (wait !== undefined) {
    return (request, response, key, terms) =>
      whileThere(response, (signal) =>
        limiter.acquire(key, { ...heard(terms, request), signal, maxWait: wait.max }),
      )
  }
  return (request, response, key, terms) =>
    after(limiter.consume(key, heard(terms, request)), (decision) =>
      decision.delayMs === 0
        ? decision
        : whileThere(response, (signal) => hold(limiter, { ...terms, key, decision }, signal)),
    )
}

/** With the request, if somebody listens to the events of decisions, which carry it. */
function heard(
  terms: ConsumeTerms,
  request: unknown,
): ConsumeTerms & { readonly request?: unknown } {
  const { decision, denial } = decisionEvents
  return decision.hasSubscribers || denial.hasSubscribers ? { ...terms, request } : terms
}

async function whileThere<T>(
  response: NodeResponse,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T | undefined> {
  const gone = new AbortController()
  const callOff = whenOver(response, () => gone.abort())
  try {
    return await work(gone.signal)
  } catch (error) {
    if (gone.signal.aborted) return undefined
    throw error
  } finally {
    callOff()
  }
}
