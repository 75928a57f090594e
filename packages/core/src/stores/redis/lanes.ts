import clusterSlot from 'cluster-key-slot'
import { createServerClock, type ServerClock } from '../../clock.js'
import { redisKey } from '../../keys.js'
import { isDecision, type StoreRequest } from '../store.js'
import { createPlans, type Lane } from './plans.js'

/** Returns undefined for a request that is sent in a call of its own, without an order relative to others. */
export type LaneOf = (request: StoreRequest) => Lane | undefined

export interface Lanes {
  /** Undefined if the keys are in several slots, because a script can use the keys of one slot only. */
  readonly laneOf: LaneOf
  /** Returns the lane of a request whose keys are in one slot. */
  laneAt(request: StoreRequest, slot: number): Lane
  /** Returns a key's slot on a Cluster, 0 on a single server. */
  slotOf(key: string, request: StoreRequest): number
}

/** Chooses the script and slot for each request. Without `hasPlans`, the script of single requests runs all of them. */
export function createLanes(prefix: string, isCluster: boolean, hasPlans: boolean): Lanes {
  const planOf = createPlans(prefix)
  const clocks = new Map<number, ServerClock>()
  const withoutPlan = new Map<number, Lane>()

  function laneAt(request: StoreRequest, slot: number): Lane {
    const plan = hasPlans && isDecision(request) ? planOf(request) : undefined
    const lanes = plan === undefined ? withoutPlan : plan.lanes
    let lane = lanes.get(slot)
    if (lane === undefined) {
      const clock = clocks.get(slot) ?? createServerClock()
      clocks.set(slot, clock)
      lane = { plan, clock }
      lanes.set(slot, lane)
    }
    return lane
  }

  function slotOf(key: string, { entries: [{ limiter }] }: StoreRequest): number {
    return isCluster ? clusterSlot(redisKey(prefix, limiter, key)) : 0
  }

  return {
    laneOf(request) {
      if (!isCluster) return laneAt(request, 0)
      const [slot, ...others] = new Set(request.keys.map((key) => slotOf(key, request)))
      return others.length > 0 ? undefined : laneAt(request, slot)
    },
    laneAt,
    slotOf,
  }
}
