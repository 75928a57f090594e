import type { Costs } from '../../limiter/arguments.js'
import { chosenPerCall, type Policies } from '../../limiter/limiter-policies.js'
import { sluiceError } from '../../errors.js'
import { isCount, isRecord } from '../../options/predicates.js'
import { quota } from '../../options/readers.js'
import type { Policy } from '../../policy.js'
import type { Awaitable } from '../../awaitable.js'
import { shortForm } from '../../limiter/limit-options.js'
import type { RateLimitOptions } from './options.js'

/** The policies of a limiter, and those of each of its requests. */
export interface RequestPolicies<R> {
  /** The policies that the limiter is made with. */
  readonly policies: Policies
  /**
   * The policies of one request; undefined if all have the same. Equal limits return the same object, because headers and keys are cached by its identity.
   */
  readonly policiesFor?: (request: R) => Awaitable<Policies>
}

/**
 * Reads the policies from options that `checkOptions` has accepted.
 *
 * @throws SluiceError SLUICE_OPTION_MISSING if they contain no policy and no `limit` with `window`; and any error of the builder
 */
export function requestPoliciesOf<R, H>(options: RateLimitOptions<R, H>): RequestPolicies<R> {
  const { policies, rules } = options
  // Rules find the policies of each request.
  if (rules !== undefined) return { policies: chosenPerCall, policiesFor: () => chosenPerCall }
  if (typeof policies === 'function') {
    const policiesFor = async (request: R): Promise<Policies> =>
      definedPolicies(await policies(request))
    return { policies: chosenPerCall, policiesFor }
  }
  if (policies !== undefined) return { policies }
  const { limit, build } = shortForm('rateLimit', options)
  if (typeof limit !== 'function') return { policies: build(limit) }
  const policyFor = cachedByLimit(build)
  // Built early, so that a wrong window or builder is found before the first request.
  policyFor(1)
  return {
    policies: chosenPerCall,
    policiesFor: async (request) => policyFor(await limit(request)),
  }
}

/** The cost of a request, which the limiter checks. The limiter reads undefined as 1, but a function that returns it has a bug. */
export function definedCost(limiter: string, cost: unknown): Costs {
  if (!isDefined(cost)) throw sluiceError('SLUICE_COST_INVALID', limiter, cost)
  return cost
}

const isDefined = (cost: unknown): cost is Costs => cost !== undefined

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
