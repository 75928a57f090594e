import { requestError } from '../../errors/request-error.js'
import { sluiceError } from '../../errors.js'
import { askedPolicies, costOf, keysOf, type Keys } from '../../limiter/arguments.js'
import { limiterPolicies, type Policies } from '../../limiter/limiter-policies.js'
import type { OptionReaders } from '../../options/readers.js'
import { namedPolicies } from '../../policy.js'
import { byIp } from '../keys/by-ip.js'
import { keyReader, placeholderKey } from '../keys/key-option.js'
import { readList } from '../lists/access-list.js'
import { checkOptions } from '../options/check-options.js'
import type { RateLimitOptions } from '../options/options.js'
import { requestPoliciesOf } from '../options/request-policies.js'
import { watchRequests } from '../request/mistakes.js'
import type { RequestView } from '../request/view.js'
import { bodyWriter } from '../response/denial.js'
import { fieldWriter } from '../response/header-fields.js'
import { itemFinder } from '../response/policy-items.js'
import { errorFor, type LimiterGuard } from './action.js'
import {
  assertCountable,
  assertWithoutResponse,
  countOf,
  mayHaveLease,
  optionForResponse,
} from './counting.js'
import { checkOf, type Limit } from './limit.js'
import { guardLimiter, withoutName } from './names.js'

/**
 * Makes the guard that all adapters share. `checkOf` shows what it does with a request.
 *
 * @param route the name of the limiter if its options contain none: adapters pass it for the limiter of a route
 * @param madeAhead whether the caller knows that no request handler makes the guard
 * @param seesResponse whether the framework shows the response. If not, options that depend on it are refused at once
 * @param own the options that only the adapter has
 * @throws SluiceError if an option is missing, unknown or wrong
 */
export function createGuard<R, H>(
  options: RateLimitOptions<R, H>,
  route?: string,
  madeAhead: boolean = route !== undefined,
  seesResponse: boolean = true,
  own?: OptionReaders,
): LimiterGuard<R, H> {
  checkOptions(options, own)
  const stated = options.rules?.name ?? options.name ?? route
  const name = stated ?? withoutName
  const ofRequests = requestPoliciesOf(options)
  const { policies } = ofRequests
  const perRequest = ofRequests.policiesFor !== undefined
  if (!seesResponse) assertWithoutResponse(name, policies, optionForResponse(options))
  const parts = {
    name,
    options,
    count: countOf(options.count),
    needed: optionForResponse(options),
    ...ofRequests,
    allow: readList(options.allow),
    deny: readList(options.deny),
    keyOf: keyReader(name, options.key ?? byIp()),
    itemsFor: itemFinder(name),
    fieldsOf: fieldWriter(name, options),
    bodyOf: bodyWriter(options),
  }
  if (!perRequest) {
    assertFits(name, options, policies)
    assertCountable(options, policies)
  }
  const watch = watchRequests(name, madeAhead)
  // Last, because a limiter whose options are wrong must not keep a name.
  const limiter = guardLimiter(options, stated, policies, perRequest)
  const limit: Limit<R, H> = { ...parts, limiter }
  const mayHold = perRequest ? typeof options.limit !== 'function' : mayHaveLease(policies)

  async function keyOf(view: RequestView<R>): Promise<Keys> {
    try {
      if (options.rules !== undefined) throw requestError('SLUICE_KEY_PER_RULE')
      return await limit.keyOf(view.raw, view)
    } catch (error) {
      throw errorFor(name, error)
    }
  }

  return {
    check: checkOf(limit, watch),
    limiter,
    keyOf,
    holds: options.releaseOn !== 'close' && mayHold,
    needsOutcome: perRequest || mayHold || limit.needed !== undefined,
  }
}

/**
 * Checks that the options fit the policies, before the first request.
 *
 * @throws SluiceError if `resetOn` names an unknown policy, or the key or the cost do not fit
 */
function assertFits<R, H>(
  name: string,
  { key = byIp(), cost, resetOn }: RateLimitOptions<R, H>,
  policies: Policies,
): void {
  const known = Object.keys(namedPolicies(policies))
  const names = typeof resetOn === 'object' ? resetOn.success : []
  const stray = names.find((one) => !known.includes(one))
  if (stray !== undefined) {
    const expected = `names of its policies: ${known.map((one) => JSON.stringify(one)).join(', ')}`
    throw sluiceError('SLUICE_OPTION_INVALID', 'resetOn', 'success', stray, expected)
  }
  const bound = limiterPolicies(name, policies)
  const placeholder = placeholderKey(key)
  keysOf(name, askedPolicies(name, bound, placeholder), placeholder)
  if (typeof cost !== 'function') costOf(name, bound, bound, cost)
}
