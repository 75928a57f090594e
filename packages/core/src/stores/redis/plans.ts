import { hasLeases } from '../../algorithms/kind.js'
import clusterSlot from 'cluster-key-slot'
import { createServerClock, type ServerClock } from '../../clock.js'
import { redisKey, redisKeys, stateName } from '../../keys.js'
import {
  isDecision,
  type LimiterPolicy,
  type DecisionRequest,
  type StoreRequest,
} from '../store.js'
import { scriptOf, type Script } from './evaluation.js'
import { decisionScript, type DecisionShape } from './script/decision.js'
import type { PolicyShape } from './script/policy.js'

/** A list of policies, compiled for one way in which they share their keys. */
export interface RedisPlan {
  readonly script: Script
  /** In the order of a request. */
  readonly policies: readonly LimiterPolicy[]
  /** For each key of the script, the index of a policy of a request that counts it. */
  readonly keyIndices: readonly number[]
  readonly keyOf: (key: string) => string
  readonly hasLeases: boolean
  /** Its targets, by their slots. */
  readonly targets: Map<number, Target>
  /** The number of cells of each row in the reply. */
  readonly widths: readonly number[]
  /** The arguments before those of the requests. They depend on the time only if a policy does. */
  argsAt(now: number): readonly string[]
  /** Those of them that depend on the time. */
  datedArgsAt(now: number): readonly string[]
}

/** Where requests are sent. Requests of one target may share a call: they have one plan or none and, on a Cluster, one slot. */
export interface Target {
  /** Undefined if each request is sent in a call of its own, with the script of the other verbs. */
  readonly plan: RedisPlan | undefined
  /** The clock of the server. Slots of a Cluster are on several servers. */
  readonly clock: ServerClock
}

/** Undefined if the keys are in several slots, because a script can use the keys of one slot only. Such a request is sent alone, in no order. */
export type TargetOf = (request: StoreRequest) => Target | undefined

export interface Targets {
  readonly targetOf: TargetOf
  /** Returns the target of a request whose keys are in one slot. */
  targetAt(request: StoreRequest, slot: number): Target
  /** Returns a key's slot on a Cluster, 0 on a single server. */
  slotOf(key: string, request: StoreRequest): number
}

/** Chooses the script and the slot of each request. */
export function createTargets(prefix: string, isCluster: boolean): Targets {
  const planOf = createRedisPlans(prefix)
  const clocks = new Map<number, ServerClock>()
  const withoutPlan = new Map<number, Target>()

  function targetAt(request: StoreRequest, slot: number): Target {
    const plan = isDecision(request) ? planOf(request) : undefined
    const targets = plan === undefined ? withoutPlan : plan.targets
    let target = targets.get(slot)
    if (target === undefined) {
      const clock = clocks.get(slot) ?? createServerClock()
      clocks.set(slot, clock)
      target = { plan, clock }
      targets.set(slot, target)
    }
    return target
  }

  function slotOf(key: string, { policies: [{ limiter }] }: StoreRequest): number {
    return isCluster ? clusterSlot(redisKey(prefix, limiter, key)) : 0
  }

  return {
    targetOf(request) {
      if (!isCluster) return targetAt(request, 0)
      const [slot, ...others] = new Set(request.keys.map((key) => slotOf(key, request)))
      return others.length > 0 ? undefined : targetAt(request, slot)
    },
    targetAt,
    slotOf,
  }
}

/** Finds the plan of a request, once for each list of policies and each way in which they share keys. */
function createRedisPlans(prefix: string): (request: DecisionRequest) => RedisPlan {
  const known = new WeakMap<readonly LimiterPolicy[], Map<string, RedisPlan>>()
  const scripts = new Map<string, Script>()

  function scriptFor(shape: DecisionShape): Script {
    const text = JSON.stringify(shape)
    const script = scripts.get(text) ?? scriptOf(decisionScript(shape))
    scripts.set(text, script)
    return script
  }

  function compile(
    policies: readonly LimiterPolicy[],
    keys: readonly number[],
    hasCosts: boolean,
  ): RedisPlan {
    const shapes = policies.map((policy, i) => shapeOf(policy, keys[i]))
    const dated = policies.filter(({ steps }) => steps.isDated === true)
    const argsAt = (now: number) => policies.flatMap((policy) => argsOf(policy, now))
    const fixed = dated.length > 0 ? undefined : argsAt(0)
    return {
      script: scriptFor({ policies: shapes, hasCosts }),
      policies,
      keyIndices: [...new Set(keys)].map((key) => keys.indexOf(key)),
      keyOf: redisKeys(prefix, policies[0].limiter),
      hasLeases: shapes.some((policy) => policy.hasLeases),
      targets: new Map(),
      widths: shapes.map(({ times, counts, extras }) => times + counts + extras),
      argsAt: (now) => fixed ?? argsAt(now),
      datedArgsAt: (now) => dated.flatMap((policy) => paramsAt(policy, now)),
    }
  }

  return function planOf({ policies, keys, cost }) {
    const plans = known.get(policies) ?? new Map<string, RedisPlan>()
    known.set(policies, plans)
    const hasCosts = typeof cost !== 'number'
    const numbers = keyNumbersOf(keys)
    const pattern = `${hasCosts ? 'c' : ''}${numbers?.join() ?? ''}`
    let plan = plans.get(pattern)
    if (plan === undefined) {
      plan = compile(policies, numbers ?? policies.map(() => 1), hasCosts)
      plans.set(pattern, plan)
    }
    return plan
  }
}

/** The number of the key of each policy. Undefined if all of them have one key. */
function keyNumbersOf(keys: readonly string[]): readonly number[] | undefined {
  if (keys.every((key) => key === keys[0])) return undefined
  const names = [...new Set(keys)]
  return keys.map((key) => names.indexOf(key) + 1)
}

function shapeOf({ steps, params, block, keepsFirstRow }: LimiterPolicy, key: number): PolicyShape {
  const { times, counts, extras = 0 } = steps.size(params)
  return {
    id: steps.id,
    times,
    counts,
    extras,
    params: steps.args(params, 0).length,
    isDated: steps.isDated === true,
    persistsOnDenial: keepsFirstRow,
    blocksOn: block?.on,
    recordKeyCount: steps.records?.keys.length ?? 0,
    hasLeases: hasLeases({ steps }),
    key,
  }
}

function argsOf(policy: LimiterPolicy, now: number): readonly string[] {
  const { block } = policy
  const blockArgs = block === undefined ? [] : [block.for, block.escalate, block.max].map(String)
  return [...fieldsOf(policy), ...paramsAt(policy, now), ...blockArgs]
}

/** The fields of a policy: of its row, and of its block or exemption. Rows of another algorithm, or of another width, have another field. */
export function fieldsOf({
  name,
  steps,
  params,
}: LimiterPolicy): readonly [row: string, other: string] {
  const { times, counts } = steps.size(params)
  const form = steps.id > 127 ? `${steps.id}.${times + counts}` : `${steps.id}`
  return [`${stateName(name)}:${form}`, `${stateName(name)}:o`]
}

export function paramsAt({ steps, params }: LimiterPolicy, now: number): readonly string[] {
  return steps.args(params, now).map(String)
}
