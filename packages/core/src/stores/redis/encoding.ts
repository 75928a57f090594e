import { mostRecordKeys, type Row } from '../../algorithms/algorithm.js'
import { recordKey, redisKeys } from '../../keys.js'
import { overrideWidth } from '../override.js'
import {
  costAt,
  type LimiterPolicy,
  type DecisionRequest,
  type RefundReceiptRequest,
  type StoreRequest,
} from '../store.js'
import { fieldsOf, paramsAt, type CompiledPolicies } from './compiled-policies.js'

/** One call of a script. */
export interface EncodedCall {
  readonly keys: readonly string[]
  readonly args: readonly string[]
  /** The number of cells of each row in its reply. */
  readonly widths: readonly number[]
}

/**
 * Encodes a call of the script of some policies.
 *
 * @param serverMs the server's time, as far as this process knows it
 * @param voidAt the server's time after which the call is void
 */
export function encodeDecisions(
  compiled: CompiledPolicies,
  requests: readonly DecisionRequest[],
  serverMs: number,
  voidAt: number,
): EncodedCall {
  const { policies, keyCount, keyOf, hasLeases, hasRecords } = compiled
  let isTimed = false
  let isListed = hasLeases
  for (const { verb, now, cost } of requests) {
    if (now !== undefined) isTimed = true
    if (isTimed || verb === 'peek' || cost !== 1) isListed = true
  }
  const keys: string[] = []
  const args = [`${voidAt}`, isTimed ? 'timed' : '', ...compiled.argsAt(serverMs)]
  for (const request of requests) {
    const { now, lease } = request
    for (let i = 0; i < keyCount; i++) keys.push(keyOf(request.keys[i]))
    if (hasRecords) {
      policies.forEach((policy, i) => keys.push(...recordKeysOf(policy, keyOf(request.keys[i]))))
    }
    if (isTimed) args.push(`${now ?? ''}`, ...compiled.datedArgsAt(now ?? serverMs))
    if (isListed) args.push(...askOf(request))
    if (hasLeases) args.push(lease.id, lease.owner)
  }
  return { keys, args, widths: compiled.widths }
}

function askOf({ verb, cost }: DecisionRequest): readonly string[] {
  if (typeof cost === 'number') return [`${verb === 'consume' ? cost : -1 - cost}`]
  return [verb === 'consume' ? '0' : '1', ...cost.map(String)]
}

/** Encodes a call of the script of the other verbs. Its first comment describes the keys and arguments. */
export function encodeChange(
  prefix: string,
  request: StoreRequest,
  serverMs: number,
  voidAt: number,
): EncodedCall {
  const { verb, policies, now, lease } = request
  const keys: string[] = []
  const [units, forMs] = amountsOf(request)
  const args = [`${voidAt}`, `${now ?? ''}`, verb, `${units}`, `${forMs}`, lease.id, lease.owner]
  const widths = policies.map((policy, i) => {
    const { steps, params, block } = policy
    const { times, counts, extras = 0 } = steps.size(params)
    const width = times + counts + extras
    const key = redisKeys(prefix, policy.limiter)(request.keys[i])
    const records = recordKeysOf(policy, key, verb === 'reset')
    const adjusted = costAt(isAdjustment(request) ? request.adjusted : 0, i)
    const cost = 'cost' in request ? costAt(request.cost, i) - adjusted : 0
    const numbers = paramsAt(policy, now ?? serverMs)
    keys.push(key, ...records)
    args.push(...fieldsOf(policy), ...[steps.id, times, counts, width, records.length].map(String))
    args.push(block?.on ?? '', `${cost}`, `${numbers.length}`, ...numbers)
    if (verb === 'refundReceipt') {
      const { row, now: takenAt, override } = request.receipts[i]
      args.push(`${takenAt}`, ...textsOf(row, width), ...textsOf(override, overrideWidth))
    }
    return width
  })
  return { keys, args, widths }
}

function isAdjustment(request: StoreRequest): request is Required<RefundReceiptRequest> {
  return 'adjusted' in request && request.adjusted !== undefined
}

/** The numbers of a request: its units, or 1 for a reset that ends blocks and for an adjustment; and its length of time. */
function amountsOf(request: StoreRequest): readonly [units: number, forMs: number] {
  const isMore = 'unblock' in request ? request.unblock : isAdjustment(request)
  const units = 'units' in request ? request.units : isMore ? 1 : 0
  return [units, 'forMs' in request ? request.forMs : 0]
}

function textsOf(row: Row | undefined, width: number): readonly string[] {
  return Array.from({ length: width }, (_, i) => `${row?.[i] ?? 0}`)
}

/** The arguments of a call without policies: a reply means that the server can run scripts. */
export const pingArgs: readonly string[] = [
  `${Number.MAX_SAFE_INTEGER}`,
  '',
  'peek',
  '0',
  '0',
  '',
  '',
]

/** The keys of a policy's records; of those of all algorithms, first its own. */
function recordKeysOf({ name, steps }: LimiterPolicy, key: string, all = false): readonly string[] {
  const own = steps.records?.keys ?? []
  const numbers = all
    ? new Set([...own, ...Array.from({ length: mostRecordKeys }, (_, i) => i + 1)])
    : own
  return [...numbers].map((number) => recordKey(key, name, number))
}
