import { bodyKey } from '../../keys.js'
import type { DecisionRequest } from '../store.js'
import type { RedisPlan } from './plans.js'
import { hasOwnKeys } from './script/shape.js'

/** One call of a plan's script. */
export interface PlanCall {
  readonly keys: readonly string[]
  /** All arguments but the first. */
  readonly args: readonly string[]
  /** For each answer, the index of its request. Undefined if the answers are in the order of the requests. */
  readonly order: readonly number[] | undefined
}

/** `serverMs`: the server's time, as far as this process knows it. */
export function encodePlanCall(
  plan: RedisPlan,
  requests: readonly DecisionRequest[],
  serverMs: number,
): PlanCall {
  const isTimed = requests.some(({ now }) => now !== undefined)
  const args = [isTimed ? 'timed' : '', ...plan.argsAt(serverMs)]
  function addTime(now: number | undefined): void {
    if (isTimed) args.push(`${now ?? ''}`, ...plan.datedArgsAt(now ?? serverMs))
  }
  const hasAsks = isTimed || !requests.every(isPlain)
  if (hasOwnKeys(plan.shape)) return withOwnKeys(plan, requests, args, hasAsks, addTime)
  if (requests.length > 1) return withSharedKeys(plan, requests, args, hasAsks, addTime)
  const [request] = requests
  addTime(request.now)
  if (hasAsks) args.push('-1', ...askOf(plan, request))
  return { keys: [plan.keyOf(request.keys[0])], args, order: undefined }
}

/** Requests about one key at one time, which a script reads and writes together. */
interface Group {
  readonly now: number | undefined
  readonly indices: number[]
}

function withSharedKeys(
  plan: RedisPlan,
  requests: readonly DecisionRequest[],
  args: string[],
  hasAsks: boolean,
  addTime: (now: number | undefined) => void,
): PlanCall {
  const keys: string[] = []
  const groups: Group[] = []
  /** The last group of each key: after a request at another time, an earlier one is complete. */
  const open = new Map<string, Group>()
  requests.forEach(({ keys: [key], now }, i) => {
    const group = open.get(key)
    if (group !== undefined && group.now === now) group.indices.push(i)
    else {
      const first = { now, indices: [i] }
      open.set(key, first)
      groups.push(first)
      keys.push(plan.keyOf(key))
    }
  })
  if (!hasAsks && groups.length === requests.length) return { keys, args, order: undefined }
  for (const { now, indices } of groups) {
    addTime(now)
    const own = indices.map((i) => requests[i])
    if (own.every(isPlain)) args.push(`${own.length}`)
    else args.push(`-${own.length}`, ...own.flatMap((request) => askOf(plan, request)))
  }
  return { keys, args, order: groups.flatMap(({ indices }) => indices) }
}

function withOwnKeys(
  plan: RedisPlan,
  requests: readonly DecisionRequest[],
  args: string[],
  hasAsks: boolean,
  addTime: (now: number | undefined) => void,
): PlanCall {
  const { entries, order, keyIndices, keyOf, shape } = plan
  const hasLeases = shape.policies.some((policy) => policy.hasLeases)
  const keys: string[] = []
  for (const request of requests) {
    for (const index of keyIndices) keys.push(keyOf(request.keys[index]))
    for (const index of order) {
      const { name, steps } = entries[index]
      if (steps.bodied !== true) continue
      const stateKey = keyOf(request.keys[index])
      for (const body of steps.bodies) keys.push(bodyKey(stateKey, name, body))
    }
    addTime(request.now)
    if (hasAsks || hasLeases) args.push(...askOf(plan, request))
    if (hasLeases) args.push(request.lease.id, request.lease.owner)
  }
  return { keys, args, order: undefined }
}

function isPlain({ verb, cost }: DecisionRequest): boolean {
  return verb === 'consume' && cost === 1
}

function askOf({ order }: RedisPlan, { verb, cost }: DecisionRequest): readonly string[] {
  if (typeof cost === 'number') return [`${verb === 'consume' ? cost : -1 - cost}`]
  return [verb === 'consume' ? '0' : '1', ...order.map((index) => `${cost[index]}`)]
}

export function isDecision(request: { readonly verb: string }): request is DecisionRequest {
  return request.verb === 'consume' || request.verb === 'peek'
}
