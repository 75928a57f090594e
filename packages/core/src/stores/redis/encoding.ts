import { mostRecordKeys } from '../../algorithms/algorithm.js'
import { recordKey, redisKey, stateName } from '../../keys.js'
import {
  costAt,
  type BoundPolicy,
  type DecisionRequest,
  type State,
  type StoreRequest,
} from '../store.js'
import type { ReplyLayout } from './answers.js'
import type { RedisPlan } from './plans.js'

/** One call of a script. */
export interface EncodedCall {
  readonly keys: readonly string[]
  readonly args: readonly string[]
  readonly layout: ReplyLayout
  /** For each answer, the index of its request. Undefined if the answers are in the order of the requests. */
  readonly order: readonly number[] | undefined
}

/**
 * Encodes a call of a plan's script.
 *
 * @param serverMs the server's time, as far as this process knows it
 * @param voidAt the server's time after which the call is void
 */
export function encodePlanCall(
  plan: RedisPlan,
  requests: readonly DecisionRequest[],
  serverMs: number,
  voidAt: number,
): EncodedCall {
  let isTimed = false
  let hasAsks = plan.hasLeases
  for (const { now, verb, cost } of requests) {
    if (now !== undefined) isTimed = hasAsks = true
    else if (verb !== 'consume' || cost !== 1) hasAsks = true
  }
  const args = [`${voidAt}`, isTimed ? 'timed' : '', ...plan.argsAt(serverMs)]
  function addTime(now: number | undefined): void {
    if (isTimed) args.push(`${now ?? ''}`, ...plan.datedArgsAt(now ?? serverMs))
  }
  return plan.hasOwnKeys
    ? withOwnKeys(plan, requests, args, hasAsks, addTime)
    : withSharedKeys(plan, requests, args, hasAsks, addTime)
}

/** Requests about one key at one time, which a script reads and writes together. */
interface KeyRequests {
  readonly now: number | undefined
  readonly indices: number[]
}

function withSharedKeys(
  plan: RedisPlan,
  requests: readonly DecisionRequest[],
  args: string[],
  hasAsks: boolean,
  addTime: (now: number | undefined) => void,
): EncodedCall {
  if (!hasAsks && requests.length === 1) {
    return { keys: [plan.keyOf(requests[0].keys[0])], args, layout: plan, order: undefined }
  }
  const keys: string[] = []
  const groups: KeyRequests[] = []
  /** The last group of each key: after a request at another time, an earlier one is complete. */
  const open = new Map<string, KeyRequests>()
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
  if (!hasAsks && groups.length === requests.length)
    return { keys, args, layout: plan, order: undefined }
  for (const { now, indices } of groups) {
    addTime(now)
    const own = indices.map((i) => requests[i])
    if (own.every(isPlain)) args.push(`${own.length}`)
    else args.push(`-${own.length}`, ...own.flatMap((request) => askOf(plan, request)))
  }
  return { keys, args, layout: plan, order: groups.flatMap(({ indices }) => indices) }
}

function withOwnKeys(
  plan: RedisPlan,
  requests: readonly DecisionRequest[],
  args: string[],
  hasAsks: boolean,
  addTime: (now: number | undefined) => void,
): EncodedCall {
  const { policies, order, keyIndices, keyOf, hasLeases } = plan
  const keys: string[] = []
  for (const request of requests) {
    for (const index of keyIndices) keys.push(keyOf(request.keys[index]))
    for (const index of order) {
      const { name, steps } = policies[index]
      if (steps.hasRecords !== true) continue
      const stateKey = keyOf(request.keys[index])
      for (const number of steps.recordKeys) keys.push(recordKey(stateKey, name, number))
    }
    addTime(request.now)
    if (hasAsks) args.push(...askOf(plan, request))
    if (hasLeases) args.push(request.lease.id, request.lease.owner)
  }
  return { keys, args, layout: plan, order: undefined }
}

function isPlain({ verb, cost }: DecisionRequest): boolean {
  return verb === 'consume' && cost === 1
}

function askOf({ order }: RedisPlan, { verb, cost }: DecisionRequest): readonly string[] {
  if (typeof cost === 'number') return [`${verb === 'consume' ? cost : -1 - cost}`]
  return [verb === 'consume' ? '0' : '1', ...order.map((index) => `${cost[index]}`)]
}

/** Encodes a call of the script of single requests. The first comment of that script describes the keys and arguments. */
export function encodeRequest(
  prefix: string,
  request: StoreRequest,
  serverMs: number,
  voidAt: number,
): EncodedCall {
  const { verb, policies, keys: names, now, lease } = request
  const keys: string[] = []
  const args = [`${voidAt}`, now === undefined ? '' : `${now}`, verb, `${amountOf(request)}`]
  args.push(lease.id, lease.owner)
  const widths = policies.map(({ steps, params }) => {
    const { times, counts, extras = 0 } = steps.cells(params)
    return times + counts + extras
  })
  policies.forEach((policy, i) => {
    const stateKey = redisKey(prefix, policy.limiter, names[i])
    keys.push(stateKey)
    const numbers = verb === 'reset' ? allRecordKeysOf(policy) : recordKeysOf(policy)
    for (const number of numbers) keys.push(recordKey(stateKey, policy.name, number))
    args.push(...argsOf(policy, 'cost' in request ? costAt(request.cost, i) : 0, now ?? serverMs))
    if (verb === 'refundReceipt') args.push(...receiptArgs(request.receipts[i], widths[i]))
  })
  return { keys, args, layout: { widths, order: [...policies.keys()] }, order: undefined }
}

function amountOf(request: StoreRequest): number {
  if ('units' in request) return request.units
  if ('forMs' in request) return request.forMs
  return 'unblock' in request && request.unblock ? 1 : 0
}

function argsOf(policy: BoundPolicy, cost: number, now: number): readonly string[] {
  const { name, steps, params, block } = policy
  const { times, counts, extras = 0 } = steps.cells(params)
  const numbers = steps.args(params, now)
  return [
    stateName(name),
    ...[steps.id, times, counts, extras, recordKeysOf(policy).length].map(String),
    steps.persistsOnDenial(params) ? '1' : '0',
    `${cost}`,
    block?.on ?? '',
    ...[block?.for ?? 0, block?.escalate ?? 0, block?.max ?? 0].map(String),
    `${numbers.length}`,
    ...numbers.map(String),
  ]
}

function receiptArgs({ row, now, resets = 0 }: State, width: number): readonly string[] {
  const cells = Array.from({ length: width }, (_, i) => row[i] ?? 0)
  return [now, resets, ...cells].map(String)
}

/** The arguments of a call without policies: a reply means that the server can run scripts. */
export const pingArgs: readonly string[] = [`${Number.MAX_SAFE_INTEGER}`, '', 'peek', '0', '', '']

function recordKeysOf({ steps }: BoundPolicy): readonly number[] {
  return steps.hasRecords === true ? steps.recordKeys : []
}

/** The numbers of the keys of records of all forms: first those of this one. */
function allRecordKeysOf(policy: BoundPolicy): readonly number[] {
  const all = new Set(recordKeysOf(policy))
  for (let number = 1; number <= mostRecordKeys; number++) all.add(number)
  return [...all]
}
