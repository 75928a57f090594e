import clusterSlot from 'cluster-key-slot'
import { redisKey } from '../../keys.js'
import type { StoreRequest } from '../store.js'
import type { Lane, LaneOf } from './batches.js'
import { isDecision } from './plan-calls.js'
import { createPlans, type PlanOf, type RedisPlan } from './plans.js'

/** A call contains requests of one plan, or requests without a plan. On a Cluster, they are in one slot. */
export interface PlanLane extends Lane {
  readonly plan: RedisPlan
}

export interface Lanes {
  readonly laneOf: LaneOf
  readonly planOf: PlanOf
  /** Returns a key's slot on a Cluster, 0 on a single server. */
  slotOf(key: string, request: StoreRequest): number
}

/** Chooses the script and slot for each request. Without `hasPlans`, the script of single requests runs all of them. */
export function createLanes(prefix: string, isCluster: boolean, hasPlans: boolean): Lanes {
  const planOf = createPlans(prefix)
  const withoutPlan = new Map<number, Lane>()
  const plans = new WeakMap<RedisPlan, Map<number, PlanLane>>()

  function laneWithoutPlan(slot: number): Lane {
    let lane = withoutPlan.get(slot)
    if (lane === undefined) {
      lane = {}
      withoutPlan.set(slot, lane)
    }
    return lane
  }

  function planLane(plan: RedisPlan, slot: number): PlanLane {
    let lanes = plans.get(plan)
    if (lanes === undefined) {
      lanes = new Map()
      plans.set(plan, lanes)
    }
    let lane = lanes.get(slot)
    if (lane === undefined) {
      lane = { plan }
      lanes.set(slot, lane)
    }
    return lane
  }

  function slotOf(key: string, { entries: [{ limiter }] }: StoreRequest): number {
    return isCluster ? clusterSlot(redisKey(prefix, limiter, key)) : 0
  }

  /** Undefined if the keys are in several slots, because a script can use the keys of one slot only. */
  function slotOfAll(request: StoreRequest): number | undefined {
    const { keys } = request
    const slot = slotOf(keys[0], request)
    if (!isCluster || isAboutOneKey(request)) return slot
    return keys.every((key) => slotOf(key, request) === slot) ? slot : undefined
  }

  return {
    laneOf(request) {
      const slot = slotOfAll(request)
      if (slot === undefined) return undefined
      const plan = hasPlans && isDecision(request) ? planOf(request) : undefined
      return plan === undefined ? laneWithoutPlan(slot) : planLane(plan, slot)
    },
    planOf,
    slotOf,
  }
}

function isAboutOneKey({ keys }: StoreRequest): boolean {
  for (let i = 1; i < keys.length; i++) if (keys[i] !== keys[0]) return false
  return true
}

export function isPlanLane(lane: Lane | undefined): lane is PlanLane {
  return lane !== undefined && 'plan' in lane
}
