import { hasLeases } from '../../algorithms/kind.js'
import clusterSlot from 'cluster-key-slot'
import { createServerClock, type ServerClock } from '../../clock.js'
import { redisKey, redisKeys, stateName } from '../../keys.js'
import { isDecision, type BoundPolicy, type DecisionRequest, type StoreRequest } from '../store.js'
import { scriptOf, type Script } from './evaluation.js'
import { planScript } from './script/plan.js'
import {
  byKey,
  formatOf,
  hasOwnKeys,
  sizes,
  widthOf,
  type PlanShape,
  type PolicyShape,
} from './script/policies.js'

/** The most policies of a plan: a script has 2 to 13 kilobytes for each of them. */
export const mostPolicies = 16

/** The most scripts of plans: a process with different policies for each client must not fill Redis with scripts. */
const mostScripts = 256

/** A list of policies, compiled for one way in which they share their keys. */
export interface RedisPlan {
  readonly script: Script
  /** In the order of a request. */
  readonly policies: readonly BoundPolicy[]
  /** For each policy of the script, its index in a request. */
  readonly order: readonly number[]
  /** For each key of the script, the index of a policy of a request that counts it. */
  readonly keyIndices: readonly number[]
  readonly keyOf: (key: string) => string
  /** Whether each request has its own keys in a call, as `hasOwnKeys` says. */
  readonly hasOwnKeys: boolean
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
  /** Undefined if each request is sent in a call of its own, with the script of single requests. */
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

/** Chooses the script and the slot of each request. Without `hasPlans`, the script of single requests runs all of them. */
export function createTargets(prefix: string, isCluster: boolean, hasPlans: boolean): Targets {
  const planOf = createRedisPlans(prefix)
  const clocks = new Map<number, ServerClock>()
  const withoutPlan = new Map<number, Target>()

  function targetAt(request: StoreRequest, slot: number): Target {
    const plan = hasPlans && isDecision(request) ? planOf(request) : undefined
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

/** Finds the plan of a request, once for each list of policies. Returns undefined if the script of single requests has to decide. */
function createRedisPlans(prefix: string): (request: DecisionRequest) => RedisPlan | undefined {
  const known = new WeakMap<readonly BoundPolicy[], Map<string, RedisPlan | undefined>>()
  // A caller may create a new list with the same policies for each call.
  const byFirst = new WeakMap<BoundPolicy, (readonly BoundPolicy[])[]>()
  const scripts = new Map<string, Script>()

  function scriptFor(shape: PlanShape): Script | undefined {
    const text = JSON.stringify(shape)
    let script = scripts.get(text)
    if (script === undefined && scripts.size < mostScripts) {
      script = scriptOf(planScript(shape))
      scripts.set(text, script)
    }
    return script
  }

  function compile(bound: readonly BoundPolicy[], pattern: string): RedisPlan | undefined {
    if (bound.length > mostPolicies) return undefined
    const keys = bound.map((_, i) => Number(pattern.split(',')[i + 1] ?? 1))
    const order = bound.map((_, i) => i).sort((a, b) => keys[a] - keys[b] || a - b)
    const policies = order.map((i) => {
      const isAlone = keys.indexOf(keys[i]) === keys.lastIndexOf(keys[i])
      return shapeOf(bound[i], keys[i], isAlone)
    })
    const shape = { policies, hasCosts: pattern.startsWith('c') }
    const script = scriptFor(shape)
    if (script === undefined) return undefined
    const sorted = order.map((i) => bound[i])
    const argsAt = argsOf(sorted, shape)
    const dated = sorted.filter(({ steps }) => steps.datedArgs === true)
    const fixed = dated.length > 0 ? undefined : argsAt(0)
    return {
      script,
      policies: bound,
      order,
      keyIndices: [...new Set(keys)].map((key) => keys.indexOf(key)),
      keyOf: redisKeys(prefix, bound[0].limiter),
      hasOwnKeys: hasOwnKeys(shape),
      hasLeases: policies.some((policy) => policy.hasLeases),
      targets: new Map(),
      widths: policies.map(widthOf),
      argsAt: (now) => fixed ?? argsAt(now),
      datedArgsAt: (now) => dated.flatMap((policy) => paramsAt(policy, now)),
    }
  }

  function plansOf(policies: readonly BoundPolicy[]): Map<string, RedisPlan | undefined> {
    const alike = byFirst.get(policies[0]) ?? []
    const same = alike.find((other) => isSame(other, policies))
    const plans = (same && known.get(same)) ?? new Map<string, RedisPlan | undefined>()
    if (same === undefined) byFirst.set(policies[0], [...alike, policies])
    known.set(policies, plans)
    return plans
  }

  return function planOf({ policies, keys, cost }) {
    const plans = known.get(policies) ?? plansOf(policies)
    const isPlain = keys.length === 1 && typeof cost === 'number'
    const pattern = isPlain ? oneKey : patternOf(keys, typeof cost !== 'number')
    let plan = plans.get(pattern)
    if (plan === undefined && !plans.has(pattern)) {
      plan = compile(policies, pattern)
      plans.set(pattern, plan)
    }
    return plan
  }
}

/** The pattern of a request with one key and one cost. */
const oneKey = '-'

/** Whether a request has a cost for each policy. And unless it has one key, the number of the key of each policy. */
function patternOf(keys: readonly string[], hasCosts: boolean): string {
  const start = hasCosts ? 'c' : oneKey
  if (keys.length > mostPolicies || keys.every((key) => key === keys[0])) return start
  const names = [...new Set(keys)]
  return [start, ...keys.map((key) => names.indexOf(key) + 1)].join(',')
}

function shapeOf(
  { name, steps, params, block }: BoundPolicy,
  key: number,
  isAlone: boolean,
): PolicyShape {
  const { times, counts, extras = 0 } = steps.cells(params)
  return {
    id: steps.id,
    times,
    counts,
    extras,
    params: steps.args(params, 0).length,
    isDated: steps.datedArgs === true,
    persistsOnDenial: steps.persistsOnDenial(params),
    blocksOn: block?.on,
    recordKeyCount: steps.hasRecords === true ? steps.recordKeys.length : 0,
    hasLeases: hasLeases({ steps }),
    key,
    isNamed: !isAlone || name !== 'default' || steps.id > 127,
    isHeadMade: bytesOf(stateName(name)) > 127 || steps.id > 127,
  }
}

function argsOf(
  policies: readonly BoundPolicy[],
  shape: PlanShape,
): (now: number) => readonly string[] {
  const shapes = shape.policies
  const blocks = policies.flatMap(({ block }) =>
    block === undefined ? [] : [block.for, block.escalate, block.max].map(String),
  )
  const names = policies.map(({ name }) => stateName(name))
  const heads = names.flatMap((name, i) => {
    const { id, isNamed, isHeadMade } = shapes[i]
    if (!isNamed) return []
    return [
      isHeadMade ? name : String.fromCharCode(bytesOf(name)) + name + String.fromCharCode(id, 0),
    ]
  })
  const formats = byKey(shapes).flatMap((own) => {
    if (!own[0].isNamed) return []
    return sizes.map((size) => {
      const parts = own.map((policy) => {
        const bytes = bytesOf(names[shapes.indexOf(policy)])
        return `c${bytes + 3}I2${formatOf(policy, size)}`
      })
      return `<B${parts.join('')}`
    })
  })
  return (now) => {
    const params = policies.flatMap((policy) => paramsAt(policy, now))
    return [...params, ...blocks, ...heads, ...formats]
  }
}

function paramsAt({ steps, params }: BoundPolicy, now: number): readonly string[] {
  return steps.args(params, now).map(String)
}

function bytesOf(name: string): number {
  return new TextEncoder().encode(name).length
}

function isSame(one: readonly BoundPolicy[], other: readonly BoundPolicy[]): boolean {
  return one.length === other.length && one.every((policy, i) => policy === other[i])
}
