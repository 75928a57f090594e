import { readClock, type Clock } from '../clock.js'
import { sluiceError } from '../errors.js'
import { isBoolean, isList } from '../options/predicates.js'
import {
  anything,
  checked,
  knownOptions,
  optional,
  readOption,
  readOptions,
} from '../options/readers.js'
import type {
  DecisionRequest,
  LimiterPolicy,
  ResetRequest,
  Store,
  StoreRequest,
} from '../stores/store.js'
import {
  askedPolicies,
  costOf,
  keysOf,
  leaseText,
  modeName,
  type ChangeOptions,
  type ConsumeOptions,
  type KeyAndCost,
  type Keys,
  type ResetOptions,
} from './arguments.js'
import { leaseFor } from './leases.js'
import {
  chosenPerCall,
  createPolicyReader,
  type Policies,
  type PolicyChoice,
} from './limiter-policies.js'
import { watchRedundancy } from './redundancy.js'

/** Makes the requests of a limiter from the arguments of its methods. An invalid argument is an error with a code. */
export interface Requests {
  /** The limiter's own policies. */
  readonly own: readonly LimiterPolicy[]
  /** @param verb a peek without it */
  one(key: Keys, options?: ConsumeOptions, verb?: DecisionRequest['verb']): DecisionRequest
  /** All calls are checked before one is decided. */
  many(verb: DecisionRequest['verb'], calls: readonly KeyAndCost[]): readonly DecisionRequest[]
  status(key: Keys, options?: PolicyChoice): DecisionRequest
  reset(key: Keys, options?: ResetOptions): ResetRequest
  /** The fields that the request of any other method has. */
  base(key: Keys, options?: ChangeOptions, leaseId?: string): RequestBase
  /** The time of the limiter's clock; undefined without one. */
  now(): number | undefined
}

export type RequestBase = Pick<StoreRequest, 'policies' | 'keys' | 'now' | 'lease'>

/** @param skipDenyCache whether the store has to decide each consumption, so that a denial which this process remembers is not enough */
export function createRequests(
  limiter: string,
  policies: Policies,
  clock: Clock | undefined,
  store: Store,
  skipDenyCache: boolean,
): Requests {
  const where = `limiter "${limiter}"`
  const policiesOf = createPolicyReader(limiter, policies, store)
  const own = policies === chosenPerCall ? [] : policiesOf(undefined)
  const watchKey = watchRedundancy(own, policies)

  /** A request that decides. Its options are known. */
  function decision(
    verb: DecisionRequest['verb'],
    key: Keys,
    { cost, policies, owner, mode }: ConsumeOptions = noOptions,
    requireStore = false,
  ): DecisionRequest {
    if (owner !== undefined) readOption(where, 'owner', owner, leaseText)
    if (mode !== undefined) readOption(where, 'mode', mode, modeName)
    const all = policiesOf(policies)
    if (verb === 'consume') watchKey?.(key, policies)
    // Most keys are strings, which need no search.
    const asked = typeof key === 'string' ? all : askedPolicies(limiter, all, key)
    return {
      verb,
      policies: asked,
      keys: keysOf(limiter, asked, key),
      now: clock && readClock(clock),
      lease: leaseFor(asked, owner, undefined),
      cost: costOf(limiter, all, asked, cost),
      skipDenyCache,
      requireStore,
    }
  }

  function base(key: Keys, { policies, policy }: ChangeOptions, leaseId?: string): RequestBase {
    const all = policiesOf(policies)
    const asked = askedPolicies(limiter, all, key, policy)
    const lease = leaseFor(asked, undefined, leaseId)
    const keys = keysOf(limiter, asked, key)
    return { policies: asked, keys, now: clock && readClock(clock), lease }
  }

  return {
    own,

    one(key, options, verb = 'peek') {
      if (options !== undefined) knownOptions(where, options, optionsOf[verb])
      return decision(verb, key, options)
    },

    many(verb, calls) {
      if (!isList(calls)) {
        throw sluiceError('SLUICE_OPTION_INVALID', where, 'requests', calls, 'a list of requests')
      }
      for (const call of calls) knownOptions(where, call, ['key', ...optionsOf.peek])
      return calls.map((call) => decision(verb, call.key, call))
    },

    status(key, options = {}) {
      knownOptions(where, options, ['policies'])
      return decision('peek', key, { ...options, cost: 0 }, true)
    },

    reset(key, options = {}) {
      const { unblock } = readOptions(where, options, resetReaders)
      return { verb: 'reset', ...base(key, options), unblock }
    },

    base(key, options = {}, leaseId) {
      knownOptions(where, options, leaseId === undefined ? ['policies', 'policy'] : ['policies'])
      return base(key, options, leaseId)
    },

    now: () => clock && readClock(clock),
  }
}

const noOptions: ConsumeOptions = {}
/** The options of a call, by its verb. */
const optionsOf = {
  peek: ['cost', 'policies'],
  consume: ['cost', 'owner', 'policies', 'mode', 'request'],
}
const resetReaders = {
  unblock: optional(checked('true or false', isBoolean), false),
  policies: anything,
  policy: anything,
}
