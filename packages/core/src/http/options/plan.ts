import { slidingWindow } from '../../algorithms/sliding-window/index.js'
import { chosenPerCall, type Policies } from '../../limiter/bound-policies.js'
import { sluiceError } from '../../errors.js'
import { duration } from '../../options/readers.js'
import { isPolicy, type Policy } from '../../policy.js'
import { after, type Awaitable } from '../awaitable.js'
import type { Algorithm, RateLimitOptions } from './options.js'

/** What is allowed to whom. */
export interface Plan<R> {
  /** What the limiter is made with. */
  readonly policies: Policies
  /** Whether each request may bring others. */
  readonly perRequest: boolean
  /** What one request is asked by. The same limits are the same object, so that whoever has read them once need not again. */
  policiesFor(request: R): Awaitable<Policies>
}

/**
 * Reads what is allowed from options that are not wrong in themselves.
 *
 * @throws SluiceError SLUICE_OPTION_MISSING where they do not say it, or what the builder says
 */
export function planOf<R, H>(options: RateLimitOptions<R, H>): Plan<R> {
  const { policy, policies = policy } = options
  if (typeof policies === 'function') {
    return {
      policies: chosenPerCall,
      perRequest: true,
      policiesFor: (request) => after(policies(request), stated),
    }
  }
  return policies === undefined ? shortPlanOf(options) : fixed(policies)
}

// To the limiter no policies mean its own; a function that forgot to say them has a bug.
function stated(policies: Policies | undefined): Policies {
  if (policies !== undefined) return policies
  const expected = 'a function that gives a policy, or a record from name to policy'
  throw sluiceError('SLUICE_OPTION_INVALID', 'rateLimit', 'policies', policies, expected)
}

function shortPlanOf<R, H>(options: RateLimitOptions<R, H>): Plan<R> {
  const { limit, window, algorithm = slidingWindow } = options
  if (limit === undefined) {
    const expected = 'it with a "window", or in their place a "policy" or "policies"'
    throw sluiceError('SLUICE_OPTION_MISSING', 'rateLimit', 'limit', expected)
  }
  if (window === undefined) {
    throw sluiceError('SLUICE_OPTION_MISSING', 'rateLimit', 'window', duration.expected)
  }
  const build = (limit: number): Policy => builtBy(algorithm, { limit, window })
  if (typeof limit !== 'function') return fixed(build(limit))
  const policyFor = remembered(build)
  // One is built ahead, so that a wrong window or builder is found before the first request.
  policyFor(1)
  return {
    policies: chosenPerCall,
    perRequest: true,
    policiesFor: (request) => after(limit(request), policyFor),
  }
}

function builtBy(algorithm: Algorithm, options: Parameters<Algorithm>[0]): Policy {
  const policy = algorithm(options)
  if (isPolicy(policy)) return policy
  const expected = 'a builder that gives one policy, such as gcra'
  throw sluiceError('SLUICE_OPTION_INVALID', 'rateLimit', 'algorithm', algorithm, expected)
}

function fixed<R>(policies: Policies): Plan<R> {
  return { policies, perRequest: false, policiesFor: () => policies }
}

/** So many limits are kept apart before the oldest is built anew: plans are few, but a limit may be computed. */
const mostLimits = 1000

function remembered(build: (limit: number) => Policy): (limit: number) => Policy {
  const built = new Map<number, Policy>()
  return function policyFor(limit) {
    let policy = built.get(limit)
    if (policy === undefined) {
      policy = build(limit)
      const [oldest] = built.keys()
      if (built.size === mostLimits) built.delete(oldest)
      built.set(limit, policy)
    }
    return policy
  }
}
