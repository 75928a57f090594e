import { bodyKey } from '../../keys.js'
import type { DecisionRequest } from '../store.js'
import type { RedisPlan } from './plans.js'
import { hasOwnKeys } from './script/shape.js'

/** One call of a plan's script decides requests of that plan with the same clock. */
export interface PlanCall {
  readonly keys: readonly string[]
  /** The arguments of the requests. */
  readonly asked: readonly string[]
  /** For each answer, the index of its request. Undefined if the answers are in the order of the requests. */
  readonly order: readonly number[] | undefined
}

const consumeOne: readonly string[] = []

export function encodePlanCall(plan: RedisPlan, requests: readonly DecisionRequest[]): PlanCall {
  if (hasOwnKeys(plan.shape)) return withOwnKeys(plan, requests)
  if (requests.length > 1) return withSharedKeys(plan, requests)
  const [request] = requests
  const asked = isPlain(request) ? consumeOne : ['-1', ...askOf(plan, request)]
  return { keys: [plan.keyOf(request.keys[0])], asked, order: undefined }
}

function withSharedKeys(plan: RedisPlan, requests: readonly DecisionRequest[]): PlanCall {
  const names = new Set<string>()
  for (const { keys } of requests) names.add(keys[0])
  const keys = Array.from(names, plan.keyOf)
  if (keys.length === requests.length && requests.every(isPlain)) {
    return { keys, asked: consumeOne, order: undefined }
  }
  const indicesOf = new Map<string, number[]>()
  for (const name of names) indicesOf.set(name, [])
  requests.forEach((request, i) => indicesOf.get(request.keys[0])?.push(i))
  const asked: string[] = []
  const order: number[] = []
  for (const indices of indicesOf.values()) {
    order.push(...indices)
    const own = indices.map((i) => requests[i])
    if (own.every(isPlain)) asked.push(`${own.length}`)
    else asked.push(`-${own.length}`, ...own.flatMap((request) => askOf(plan, request)))
  }
  return { keys, asked, order }
}

function withOwnKeys(plan: RedisPlan, requests: readonly DecisionRequest[]): PlanCall {
  const { entries, order, keyIndices, keyOf, shape } = plan
  const hasLeases = shape.policies.some((policy) => policy.hasLeases)
  const keys: string[] = []
  const asked: string[] = []
  for (const request of requests) {
    for (const index of keyIndices) keys.push(keyOf(request.keys[index]))
    for (const index of order) {
      const { name, steps } = entries[index]
      if (steps.bodied !== true) continue
      const stateKey = keyOf(request.keys[index])
      for (const body of steps.bodies) keys.push(bodyKey(stateKey, name, body))
    }
    asked.push(...askOf(plan, request))
    if (hasLeases) asked.push(request.lease.id, request.lease.owner)
  }
  const isShort = !hasLeases && requests.every(isPlain)
  return { keys, asked: isShort ? consumeOne : asked, order: undefined }
}

function isPlain({ verb, cost }: DecisionRequest): boolean {
  return verb === 'consume' && cost === 1
}

function askOf({ order }: RedisPlan, { verb, cost }: DecisionRequest): readonly string[] {
  if (typeof cost === 'number') return [`${verb === 'consume' ? cost : -1 - cost}`]
  return [verb === 'consume' ? '0' : '1', ...order.map((index) => `${cost[index]}`)]
}

/** `serverMs`: the server's time, as far as this process knows it. */
export function planArgs(
  plan: RedisPlan,
  now: number | undefined,
  voidAt: number,
  serverMs: number,
  { asked }: PlanCall,
): readonly string[] {
  const decidedAt = now === undefined ? '' : `${now}`
  return [`${voidAt}`, decidedAt, ...plan.argsAt(now ?? serverMs), ...asked]
}

export function isDecision(request: { readonly verb: string }): request is DecisionRequest {
  return request.verb === 'consume' || request.verb === 'peek'
}
