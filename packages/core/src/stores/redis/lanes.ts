import clusterSlot from 'cluster-key-slot'
import { processTime } from '../../clock.js'
import { redisKey } from '../../keys.js'
import type { LaneOf } from '../layers/batching.js'
import type { Lane } from '../layers/run.js'
import type { StoreRequest } from '../store.js'
import { createDirects, isDirectRequest, type Direct, type DirectLane } from './direct.js'

/** The maximum number of remembered keys that the direct script could not read. */
const mostUnread = 1000

export interface Lanes {
  readonly laneOf: LaneOf
  /** Returns a key's slot on a Cluster, 0 on a single server. */
  slotOf(key: string, request: StoreRequest): number
  /** Lets the general script decide this request's key for `unreadMs`. */
  leaveToGeneral(request: StoreRequest): void
}

/** Chooses the script and slot for each request. With `isGeneral`, the general script decides everything. */
export function createLanes(
  prefix: string,
  isCluster: boolean,
  unreadMs: number,
  isGeneral: boolean,
): Lanes {
  const directOf = createDirects(prefix)
  const generals = new Map<number, Lane>()
  const directs = new WeakMap<Direct, Map<number, DirectLane>>()
  /** For each key, the time until which the general script decides it. In the order of insertion. */
  const unread = new Map<string, number>()

  function generalLane(slot: number): Lane {
    let lane = generals.get(slot)
    if (lane === undefined) {
      lane = {}
      generals.set(slot, lane)
    }
    return lane
  }

  function directLane(direct: Direct, slot: number, now: number | undefined): DirectLane {
    let lanes = directs.get(direct)
    if (lanes === undefined) {
      lanes = new Map()
      directs.set(direct, lanes)
    }
    let lane = lanes.get(slot)
    if (lane === undefined || lane.now !== now) {
      lane = { direct, now, general: generalLane(slot) }
      lanes.set(slot, lane)
    }
    return lane
  }

  function isUnread(request: StoreRequest): boolean {
    if (unread.size === 0) return false
    const key = nameOf(request)
    const until = unread.get(key)
    if (until === undefined) return false
    if (processTime.monotonic() < until) return true
    unread.delete(key)
    return false
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
      if (isGeneral || !isDirectRequest(request) || !isAboutOneKey(request))
        return generalLane(slot)
      const direct = directOf(request.entries)
      if (direct === undefined || isUnread(request)) return generalLane(slot)
      return directLane(direct, slot, request.now)
    },

    slotOf,

    leaveToGeneral(request) {
      const key = nameOf(request)
      unread.delete(key)
      unread.set(key, processTime.monotonic() + unreadMs)
      if (unread.size <= mostUnread) return
      const [oldest] = unread.keys()
      unread.delete(oldest)
    },
  }
}

function isAboutOneKey({ keys }: StoreRequest): boolean {
  for (let i = 1; i < keys.length; i++) if (keys[i] !== keys[0]) return false
  return true
}

function nameOf({ entries: [{ limiter }], keys }: StoreRequest): string {
  return `${limiter}\0${keys[0]}`
}

export function isDirectLane(lane: Lane | undefined): lane is DirectLane {
  return lane !== undefined && 'direct' in lane
}
