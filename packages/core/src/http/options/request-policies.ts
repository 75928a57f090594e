import type { Costs } from '../../limiter/arguments.js'
import { chosenPerCall, type Policies } from '../../limiter/bound-policies.js'
import { sluiceError } from '../../errors.js'
import { isCount, isRecord } from '../../options/predicates.js'
import { quota } from '../../options/readers.js'
import type { Policy } from '../../policy.js'
import { after, type Awaitable } from '../../awaitable.js'
import { shortForm } from '../../limiter/stated-policies.js'
import type { RateLimitOptions } from './options.js'

/** The policies of a limiter, and those of each of its requests. */
export interface RequestPolicies<R> {
  /** The policies that the limiter is made with. */
  readonly policies: Policies
  /** Whether a request may have policies of its own. */
  readonly perRequest: boolean
  /** The policies of one request. Equal limits return the same object, because headers and keys are cached by its identity. */
  policiesFor(request: R): Awaitable<Policies>
}

/** The arguments of `consume` for one request, besides its key. */
export interface PoliciesAndCost {
  readonly policies: Policies
  readonly cost: Costs
}

/**
 * Reads the policies from options that `checkOptions` has accepted.
 *
 * @throws SluiceError SLUICE_OPTION_MISSING if they contain no policy and no `limit` with `window`; and any error of the builder
 */
export function requestPoliciesOf<R, H>(options: RateLimitOptions<R, H>): RequestPolicies<R> {
  const { policies, rules } = options
  // A judgement contains the policies of its request.
  if (rules !== undefined) {
    return { policies: chosenPerCall, perRequest: true, policiesFor: () => chosenPerCall }
  }
  if (typeof policies === 'function') {
    return {
      policies: chosenPerCall,
      perRequest: true,
      policiesFor: (request) => after(policies(request), definedPolicies),
    }
  }
  return policies === undefined ? policiesOfLimit(options) : fixed(policies)
}

/** The options of all calls; or the function that finds those for a request, if one of the options is a function. */
export function policiesAndCostOf<R, H>(
  limiter: string,
  requestPolicies: RequestPolicies<R>,
  { cost = 1 }: RateLimitOptions<R, H>,
): PoliciesAndCost | ((request: R) => Awaitable<PoliciesAndCost>) {
  if (!requestPolicies.perRequest && typeof cost !== 'function') {
    return { policies: requestPolicies.policies, cost }
  }

  const costOf = costReader(limiter, cost)
  return (request) =>
    after(requestPolicies.policiesFor(request), (policies) =>
      after(costOf(request), (cost) => ({ policies, cost })),
    )
}

/** Makes the function that finds the cost of a request from the option `cost`. */
export function costReader<R>(
  limiter: string,
  cost: Costs | ((request: R) => Awaitable<Costs>),
): (request: R) => Awaitable<Costs> {
  // The limiter reads undefined as 1, but a function that returns undefined has a bug.
  function definedCost(cost: Costs | undefined): Costs {
    if (cost === undefined) throw sluiceError('SLUICE_COST_INVALID', limiter, cost)
    return cost
  }

  return (request) => (typeof cost === 'function' ? after(cost(request), definedCost) : cost)
}

// The limiter reads undefined as its own policies, but a function that returns undefined has a bug.
function definedPolicies(policies: unknown): Policies {
  if (isPolicies(policies)) return policies
  const expected =
    'a policy such as slidingWindow({ limit: 100, window: "1m" }), a record from name to policy, or unlimited()'
  throw sluiceError('SLUICE_RESULT_INVALID', 'rateLimit', 'policies', policies, expected)
}

/** Whether the value can be policies: the limiter checks the members of a record. This runs for each request, so it makes no list of the names. */
function isPolicies(value: unknown): value is Policies {
  if (!isRecord(value)) return false
  for (const name in value) if (Object.hasOwn(value, name)) return true
  return false
}

function policiesOfLimit<R, H>(options: RateLimitOptions<R, H>): RequestPolicies<R> {
  const { limit, build } = shortForm('rateLimit', options)
  if (typeof limit !== 'function') return fixed(build(limit))
  const policyFor = cachedByLimit(build)
  // Built early, so that a wrong window or builder is found before the first request.
  policyFor(1)
  return {
    policies: chosenPerCall,
    perRequest: true,
    policiesFor: (request) => after(limit(request), policyFor),
  }
}

function fixed<R>(policies: Policies): RequestPolicies<R> {
  return { policies, perRequest: false, policiesFor: () => policies }
}

/** Applications have few limits, but a limit may be computed: the cache is bounded. */
const maxCachedLimits = 1000

function cachedByLimit(build: (limit: number) => Policy): (limit: number) => Policy {
  const cache = new Map<number, Policy>()
  return function policyFor(limit) {
    let policy = cache.get(limit)
    if (policy === undefined) {
      if (!isCount(limit)) {
        throw sluiceError('SLUICE_RESULT_INVALID', 'rateLimit', 'limit', limit, quota.expected)
      }
      policy = build(limit)
      const [oldest] = cache.keys()
      if (cache.size === maxCachedLimits) cache.delete(oldest)
      cache.set(limit, policy)
    }
    return policy
  }
}
