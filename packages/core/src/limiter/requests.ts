import { hasLeases } from '../algorithms/kind.js'
import { readClock, type Clock } from '../clock.js'
import { sluiceError, warn } from '../errors.js'
import { joinKey } from '../keys.js'
import { isBoolean, isCount, isList } from '../options/predicates.js'
import { duration, knownOptions, warnOfShort, type Duration } from '../options/readers.js'
import {
  partOf,
  type LimiterPolicy,
  type DecisionRequest,
  type LeaseRequest,
  type OverrideRequest,
  type Store,
  type StoreRequest,
} from '../stores/store.js'
import {
  argumentChecks,
  askedPolicies,
  costOf,
  isKey,
  keysOf,
  repeated,
  type ConsumeOptions,
  type KeyAndCost,
  type Keys,
  type PeekOptions,
  type ResetOptions,
} from './arguments.js'
import {
  limiterPolicies,
  chosenPerCall,
  createBinder,
  storeCheck,
  type Policies,
  type PolicyChoice,
} from './limiter-policies.js'
import { isMode } from './events.js'
import { leaseFor } from './leases.js'
import type { Receipt } from './receipt.js'
import { refundRequests, type RefundCall } from './refunds.js'

/** The options of a decision, of which `cost` is not checked. */
interface CallOptions {
  readonly cost?: unknown
  readonly policies?: Policies | undefined
  readonly owner?: string
}

const noOptions: CallOptions = {}

/**
 * Turns the calls of a limiter's methods into requests to its store. An invalid call is an error with a code. The methods have the names of the
 * limiter's methods.
 */
export interface Requests {
  /** The limiter's own policies. */
  readonly own: readonly LimiterPolicy[]
  consume(key: Keys, options: ConsumeOptions | undefined): DecisionRequest
  peek(key: Keys, options: PeekOptions | undefined): DecisionRequest
  /** All calls are checked before one is decided. */
  many(verb: DecisionRequest['verb'], calls: readonly KeyAndCost[]): readonly DecisionRequest[]
  status(key: Keys, options: PolicyChoice | undefined): DecisionRequest
  /** One request for each call that the decision combines. */
  refundReceipts(call: RefundCall): readonly StoreRequest[]
  refundUnits(key: Keys, units: unknown, options?: PolicyChoice): StoreRequest
  penalize(key: Keys, units: number, options?: PolicyChoice): StoreRequest
  block(key: Keys, length: Duration, options?: PolicyChoice): StoreRequest
  unblock(key: Keys, options: PolicyChoice | undefined): StoreRequest
  exempt(key: Keys, length: Duration, options?: PolicyChoice): StoreRequest
  unexempt(key: Keys, options: PolicyChoice | undefined): StoreRequest
  release(key: Keys, leaseId: string, options?: PolicyChoice): StoreRequest
  renew(key: Keys, leaseId: string, options?: PolicyChoice): StoreRequest
  reset(key: Keys, options: ResetOptions | undefined): StoreRequest
  /** The request that releases or renews the lease that a call was granted. */
  ofLease(receipt: Receipt, verb: LeaseRequest['verb']): LeaseRequest
}

/** @param skipDenyCache whether the store has to decide each consumption, so that a denial which this process remembers is not enough */
export function createRequests(
  limiter: string,
  policies: Policies,
  clock: Clock | undefined,
  store: Store,
  skipDenyCache: boolean,
): Requests {
  const where = `limiter "${limiter}"`
  const own = policies === chosenPerCall ? [] : limiterPolicies(limiter, policies)
  const assertKept = storeCheck(store)
  assertKept(own)
  const boundFor = createBinder(limiter, policies === chosenPerCall ? undefined : own, assertKept)
  const watchKey = watchRedundancy(own, policies)
  const { assertPenalty, assertCounted, count, text } = argumentChecks(where, policies)

  /** The request of a call whose options are known. */
  function decide(
    verb: DecisionRequest['verb'],
    key: Keys,
    { cost = 1, policies, owner }: CallOptions = noOptions,
    requireStore = false,
  ): DecisionRequest {
    if (owner !== undefined) text('owner', owner)
    const all = boundFor(policies)
    if (verb === 'consume') watchKey?.(key, policies)
    const now = clock === undefined ? undefined : readClock(clock)
    // Most keys are strings, and most costs numbers.
    const only = typeof key === 'string' ? joinKey(key) : undefined
    const asked = only === undefined ? askedPolicies(limiter, all, key) : all
    const keys = only === undefined ? keysOf(limiter, asked, key) : repeated(only, asked.length)
    const lease = leaseFor(asked, owner, undefined)
    const units = isCount(cost) ? cost : costOf(limiter, all, asked, cost)
    return { verb, policies: asked, keys, now, lease, cost: units, skipDenyCache, requireStore }
  }

  /** The part that all other requests have. */
  function about(key: Keys, policies: Policies | undefined, owner?: string, leaseId?: string) {
    const asked = askedPolicies(limiter, boundFor(policies), key)
    const lease = leaseFor(asked, owner, leaseId)
    return { policies: asked, keys: keysOf(limiter, asked, key), now: injectedTime(), lease }
  }

  function injectedTime(): number | undefined {
    return clock === undefined ? undefined : readClock(clock)
  }

  function overrideRequest(
    verb: OverrideRequest['verb'],
    key: Keys,
    length: Duration,
    options: PolicyChoice | undefined,
  ): OverrideRequest {
    const forMs = duration.read(length)
    if (forMs === undefined) {
      const { expected, advice } = duration
      throw sluiceError('SLUICE_OPTION_INVALID', where, 'for', length, expected, advice?.(length))
    }
    warnOfShort(where, 'for', length)
    const request = { verb, ...about(key, policiesOf(options)), forMs }
    assertCounted(request.policies)
    return request
  }

  function leaseRequest(
    verb: 'release' | 'renew',
    key: Keys,
    leaseId: string,
    options: PolicyChoice | undefined,
  ): LeaseRequest {
    const id = text('leaseId', leaseId)
    return ofLeases({ verb, ...about(key, policiesOf(options), undefined, id) })
  }

  /** The request for those of its policies that have leases. */
  function ofLeases(request: LeaseRequest): LeaseRequest {
    const leased = [...request.policies.keys()].filter((i) => hasLeases(request.policies[i]))
    if (leased.length > 0) return partOf(request, leased)
    const expected = 'at least one concurrency policy, and a key for it: no other policy has leases'
    throw sluiceError('SLUICE_OPTION_INVALID', where, 'policies', policies, expected)
  }

  function check(options: object | undefined, known: readonly string[]): void {
    if (options !== undefined) knownOptions(where, options, known)
  }

  function checkConsume(options: ConsumeOptions): void {
    check(options, ['cost', 'owner', 'policies', 'mode', 'request'])
    const { mode } = options
    if (isMode(mode)) return
    const expected = "'enforced', 'dryRun', 'shadow' or 'tagging'"
    throw sluiceError('SLUICE_OPTION_INVALID', where, 'mode', mode, expected)
  }

  function checkList(calls: unknown): void {
    if (!isList(calls)) {
      throw sluiceError('SLUICE_OPTION_INVALID', where, 'requests', calls, 'a list of requests')
    }
    const known = ['key', 'cost', 'policies']
    for (const call of calls) knownOptions(where, call, known)
  }

  function policiesOf(options: PolicyChoice | undefined): Policies | undefined {
    check(options, ['policies'])
    return options?.policies
  }

  return {
    own,

    consume(key, options) {
      if (options !== undefined) checkConsume(options)
      return decide('consume', key, options)
    },

    peek(key, options) {
      check(options, ['cost', 'policies'])
      return decide('peek', key, options)
    },

    many(verb, calls) {
      checkList(calls)
      return calls.map((call) => decide(verb, call.key, call))
    },

    status: (key, options) => {
      const policies = policiesOf(options)
      return decide('peek', key, { cost: 0, policies }, true)
    },

    refundReceipts: refundRequests(limiter, injectedTime),

    refundUnits: (key, n = 1, options) => {
      const units = count(n)
      return { verb: 'refundUnits', ...about(key, policiesOf(options)), units }
    },

    penalize(key, n, options) {
      const policies = policiesOf(options)
      const units = count(n)
      const request = { verb: 'penalize', ...about(key, policies), units } as const
      assertPenalty(request.policies, units)
      return request
    },

    block: (key, length, options) => overrideRequest('block', key, length, options),
    unblock: (key, options) => ({ verb: 'unblock', ...about(key, policiesOf(options)) }),
    exempt: (key, length, options) => overrideRequest('exempt', key, length, options),
    unexempt: (key, options) => ({ verb: 'unexempt', ...about(key, policiesOf(options)) }),

    release: (key, leaseId, options) => leaseRequest('release', key, leaseId, options),
    renew: (key, leaseId, options) => leaseRequest('renew', key, leaseId, options),

    reset(key, options) {
      check(options, ['unblock', 'policies'])
      const { unblock = false, policies }: ResetOptions = options ?? {}
      if (!isBoolean(unblock)) {
        throw sluiceError('SLUICE_OPTION_INVALID', where, 'unblock', unblock, 'true or false')
      }
      return { verb: 'reset', ...about(key, policies), unblock }
    },

    ofLease({ request, result: { source = 'store' } }, verb) {
      const { policies, keys, lease } = request
      return ofLeases({ verb, source, policies, keys, lease, now: injectedTime() })
    },
  }
}

/**
 * Finds a policy of a limiter that allows at least the units of another one, in at most its window; undefined if there is none. The returned function warns
 * once, when both policies count by the same key. It does not warn for policies that a call chooses, nor for different keys, because then the policy denies
 * requests of its own. With one key it hardly ever does: only what is spread over the ends of the longer windows.
 */
function watchRedundancy(
  bound: readonly LimiterPolicy[],
  policies: Policies,
): ((key: Keys, chosen: Policies | undefined) => void) | undefined {
  for (const policy of bound.toReversed()) {
    const other = bound.find((each) => each !== policy && isRedundant(policy, each))
    if (other === undefined) continue
    let isKnown = false
    return function watch(key, chosen = policies) {
      if (isKnown || chosen !== policies || !isKey(key)) return
      isKnown = true
      warn(sluiceError('SLUICE_POLICY_REDUNDANT', policy.limiter, policy.name, other.name))
    }
  }
  return undefined
}

/** Compares policies of one kind that differ in numbers only. A block also denies requests below the limit, and a limit of 0 denies everything on purpose. */
function isRedundant(one: LimiterPolicy, other: LimiterPolicy): boolean {
  const { steps, params, policy, block } = one
  if (one.kind !== other.kind || block !== undefined || one.keepsFirstRow) return false
  for (const [name, value] of Object.entries(policy)) {
    if (typeof value !== 'number' && value !== Reflect.get(other.policy, name)) return false
  }
  const [quota, least] = [steps.quota(params), other.steps.quota(other.params)]
  return quota >= least && least > 0 && steps.windowMs(params) <= other.steps.windowMs(other.params)
}
