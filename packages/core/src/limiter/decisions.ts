import { joinKey } from '../keys.js'
import { isCount } from '../options/predicates.js'
import { isCompiling, type CompilingStore } from '../stores/memory/index.js'
import { PendingRequest } from '../stores/pending.js'
import type { BoundPolicy, Reply, Source, Store } from '../stores/store.js'
import { AnsweredPolicies, type Dispatcher } from './dispatch.js'
import type { Policies, PolicyChoice } from './bound-policies.js'
import type { Keys, ConsumeOptions, KeyAndCost, PeekOptions } from './arguments.js'
import type { Decision, Status } from './decision.js'
import { decisionEvents, report } from './events.js'
import type { Fallback } from './fallback.js'
import { Plan } from './plan.js'
import { areKnown, createPlans, type PlannedCall } from './plans.js'
import { heldLeaseOf, type ChangeLease } from './leases.js'
import { receiptOf, type DecidedCall } from './receipt.js'
import type { Requests } from './requests.js'

/** The methods of a limiter that decide. */
export interface Decisions<S extends Store> {
  consume(key: Keys, options?: ConsumeOptions): Reply<S, Decision<S>>
  peek(key: Keys, options?: PeekOptions): Reply<S, Decision>
  consumeMany(calls: readonly KeyAndCost[]): Reply<S, readonly Decision<S>[]>
  peekMany(calls: readonly KeyAndCost[]): Reply<S, readonly Decision[]>
  status(key: Keys, options?: PolicyChoice): Reply<S, Status>
  /** Whether a call has a policy that counts. */
  isCounted(key: Keys, options: PeekOptions): boolean
}

/** The methods over a memory store, which return a decision unless the application has replaced the store's `run`. */
interface DecidedAtOnce<S extends Store> {
  consume(key: Keys, options?: ConsumeOptions): Decision<S> | Reply<S, Decision<S>>
  peek(key: Keys, options?: PeekOptions): Decision | Reply<S, Decision>
}

type AnsweredPlan = Plan<AnsweredPolicies>

/** A call that was answered, and the plan with the answer. */
interface AnsweredCall {
  readonly planned: PlannedCall<AnsweredPlan>
  readonly plan: AnsweredPlan
  readonly source: Source
  readonly allowed: boolean
}

/** The parts of a limiter that its decisions use. */
export interface DecidingLimiter<S extends Store> {
  readonly name: string
  readonly store: Store
  readonly requests: Requests
  readonly dispatch: Dispatcher<S>
  readonly fallback: Fallback | undefined
  /** Whether the store has to decide each consumption, so that a denial which this process remembers is not enough. */
  readonly fresh: boolean
  readonly changeLease: ChangeLease<S>
}

/** Makes the methods that decide. Their plans read the decisions of every store: a memory store decides by its plans itself, any other one fills them. */
export function createDecisions<S extends Store>(limiter: DecidingLimiter<S>): Decisions<S> {
  const { name, store, requests, dispatch, fallback, fresh, changeLease } = limiter
  const { decision: everyDecision, denial } = decisionEvents
  const plans = createPlans(name, requests, answeredPlan)

  /** A request for a decision, which reads the answer of the store. */
  function pendingFor<T>(
    planned: PlannedCall<AnsweredPlan>,
    fromCounts: boolean,
    read: (answered: AnsweredCall, options: ConsumeOptions | undefined) => T,
    options: ConsumeOptions | undefined,
    resolve: (result: T) => void,
    reject: (error: unknown) => void,
  ): PendingRequest {
    const { plan, call, key, cost } = planned
    const request = plan.compiled.requestOf(call, key, cost, fresh, fromCounts)
    return new PendingRequest(request, (given) => {
      try {
        const result = fallback === undefined ? given : fallback.finalAnswer(request, given)
        if (!('allowed' in result)) throw result
        const { allowed, states, source = 'store' } = result
        const answered = source === 'store' ? plan : planReading(plan, source)
        answered.compiled.fill(states)
        resolve(read({ planned, plan: answered, source, allowed }, options))
      } catch (error) {
        reject(error)
      }
    })
  }

  /** The plan that reads the answer of another source than the store: the fallback decides by shares of the policies. */
  function planReading(plan: AnsweredPlan, source: Source): AnsweredPlan {
    return source === 'fallback' && fallback !== undefined
      ? plans.planOf(fallback.sharesOf(plan.policies))
      : plan
  }

  function decisionOf(
    { planned, plan, source, allowed }: AnsweredCall,
    options: ConsumeOptions | undefined,
  ): Decision<S> {
    const { key, cost } = planned
    let { call } = planned
    if (source !== 'store') call = { ...call, policies: plan.policies, source }
    const decision = plan.read(call, key, cost, allowed)
    return call.verb === 'consume' ? completed(plan, decision, options) : decision
  }

  /** Adds the lease of an allowed consumption to its decision, and publishes it. */
  function completed(
    { hasLeases }: { readonly hasLeases: boolean },
    decision: Decision<S>,
    options: ConsumeOptions | undefined,
  ): Decision<S> {
    if (hasLeases && decision.allowed) addLease(decision)
    if (everyDecision.hasSubscribers || (!decision.allowed && denial.hasSubscribers)) {
      report(name, decision, options)
    }
    return decision
  }

  function addLease(decision: Decision<S>): void {
    const receipt = receiptOf(decision)
    const lease = receipt === undefined ? undefined : heldLeaseOf(receipt, changeLease)
    if (lease !== undefined) Object.assign(decision, { lease })
  }

  function decide(
    verb: DecidedCall['verb'],
    key: Keys,
    options: ConsumeOptions | undefined,
    check: (options: ConsumeOptions) => void,
  ): Reply<S, Decision<S>> {
    return dispatch.reply((resolve, reject) => {
      if (options !== undefined && !(verb === 'consume' && areKnown(options))) check(options)
      const planned = plans.callOf(verb, key, options)
      dispatch.ask([pendingFor(planned, false, decisionOf, options, resolve, reject)])
    })
  }

  function decideMany(
    verb: DecidedCall['verb'],
    calls: readonly KeyAndCost[],
  ): Reply<S, readonly Decision<S>[]> {
    return dispatch.reply((resolve, reject) => {
      // All calls are checked before one is decided.
      requests.checkList(calls)
      const all = calls.map((call) => plans.callOf(verb, call.key, call))
      const decisions: Decision<S>[] = []
      let left = all.length
      if (left === 0) resolve([])
      dispatch.ask(
        all.map((planned, i) => {
          function decided(decision: Decision<S>): void {
            decisions[i] = decision
            if (--left === 0) resolve(decisions)
          }
          return pendingFor(planned, false, decisionOf, undefined, decided, reject)
        }),
      )
    })
  }

  const byRequests: Decisions<S> = {
    consume: (key, options) => decide('consume', key, options, requests.checkConsume),
    peek: (key, options) => decide('peek', key, options, requests.checkPeek),
    consumeMany: (calls) => decideMany('consume', calls),
    peekMany: (calls) => decideMany('peek', calls),
    status: (key, options) =>
      dispatch.reply((resolve, reject) => {
        const policies = requests.policiesOf(options)
        const planned = plans.callOf('peek', key, { cost: 0, ...(policies && { policies }) })
        const read = ({ plan, source }: AnsweredCall) => plan.statusOf(source)
        dispatch.ask([pendingFor(planned, true, read, undefined, resolve, reject)])
      }),
    isCounted: (key, options) => plans.callOf('peek', key, options).plan.compiled.isCounted,
  }
  if (!isCompiling(store)) return byRequests
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the compiler cannot know that S is the type of this store
  return { ...byRequests, ...(decidedAtOnce(store) as Pick<Decisions<S>, 'consume' | 'peek'>) }

  /** The decisions of a memory store, without a request and a result for each. */
  function decidedAtOnce(memory: CompilingStore): DecidedAtOnce<S> {
    const { hasClock, watchKey } = requests
    const own = createPlans(name, requests, (policies) => {
      return new Plan(policies, memory.compile(policies, hasClock))
    })

    function decideAtOnce({ plan, call, key, cost }: PlannedCall<Plan>): Decision<S> {
      return plan.read(call, key, cost, plan.compiled.decide(call, key, cost))
    }

    function consumeAtOnce(key: Keys, options: ConsumeOptions | undefined): Decision<S> {
      const planned = own.callOf('consume', key, options)
      return completed(planned.plan, decideAtOnce(planned), options)
    }

    return {
      consume(key, options) {
        if (!memory.runsItself) return byRequests.consume(key, options)
        let cost: unknown = 1
        let policies: Policies | undefined
        let owner: string | undefined
        if (options !== undefined) {
          if (!areKnown(options)) requests.checkConsume(options)
          ;({ cost = 1, policies, owner } = options)
        }
        const joined = typeof key === 'string' ? joinKey(key) : undefined
        if (joined === undefined || !isCount(cost) || owner !== undefined || hasClock) {
          return consumeAtOnce(key, options)
        }
        // As `consumeAtOnce`, without an object for the call.
        const plan = own.planFor(policies)
        watchKey?.(key, policies)
        const call = plan.callOf('consume', undefined, undefined)
        const decision = plan.read(call, joined, cost, plan.compiled.decide(call, joined, cost))
        return completed(plan, decision, options)
      },
      peek(key, options) {
        if (!memory.runsItself) return byRequests.peek(key, options)
        requests.checkPeek(options)
        return decideAtOnce(own.callOf('peek', key, options))
      },
    }
  }
}

function answeredPlan(policies: readonly BoundPolicy[]): AnsweredPlan {
  return new Plan(policies, new AnsweredPolicies(policies))
}
