import type { BoundSteps, Lease, Row } from '../algorithms/algorithm.js'
import type { Block } from '../policy.js'
import {
  blockedMs,
  blockLength,
  blockStart,
  blockUntil,
  exemptUntil,
  isExempt,
  isExemption,
  overrideEnds,
} from './override.js'
import {
  costAt,
  isDecision,
  type Cost,
  type DecisionRequest,
  type LimiterPolicy,
  type ResetRequest,
  type State,
  type StoreRequest,
  type StoreResult,
} from './store.js'

/** What a store keeps for a policy's key: the count of its algorithm, and the block or the exemption that all policies of its name have. */
export type Part = 'count' | 'override'

/** The rows of the keys of one request: of each, the index of its policy in the request, and the key. */
export interface Rows {
  /** The time by which a policy is decided. */
  timeOf(index: number): number
  /** A copy of a row: the cells that are kept, and a zero for each cell that only a receipt has. */
  get(index: number, key: string, part: Part): Row | undefined
  /** The log or the leases of a row that `get` has returned, of an algorithm that has such records. */
  recordsOf(index: number, key: string): unknown
  /** Whether there is a count that has not ended. One that has ended is read until it is removed, so that it still counts if the clock steps back. */
  isKept(index: number, key: string): boolean
  /**
   * Keeps a row in place of the one that there is. Removes it if its life is over.
   *
   * @param isSpent whether nothing remains of the quota, so that a full store evicts it last
   */
  put(
    index: number,
    key: string,
    part: Part,
    row: Row,
    lifeMs: number,
    isSpent: boolean,
    records: unknown,
  ): void
  /** Removes the override, or the counts of all algorithms under the policy's name. */
  delete(index: number, key: string, part: Part): void
}

/** The state of one policy's key during a request, and after it. */
interface Loaded extends State {
  readonly index: number
  readonly policy: LimiterPolicy
  readonly key: string
  override: Row | undefined
  /** Whether the policy allows the cost of the request. */
  fits: boolean
  readonly records: unknown
  /** Of an algorithm with records, bound to these records. */
  readonly steps: BoundSteps
}

/** Runs a request on the states of its keys, all or nothing: it looks at all of them before it changes one. */
export function run(rows: Rows, request: StoreRequest): StoreResult {
  if (!isDecision(request)) {
    const states = lookAtAll(rows, request, 0)
    return { allowed: change(rows, request, states), states }
  }
  const { policies, keys, lease, cost } = request
  // A literal for the only policy of most requests.
  const states =
    policies.length === 1
      ? [look(rows, 0, policies[0], keys[0], lease, costAt(cost, 0))]
      : lookAtAll(rows, request, cost)
  let allowed = true
  for (let i = 0; i < states.length; i++) if (!states[i].fits) allowed = false
  if (request.verb === 'peek') return { allowed, states }
  for (let i = 0; i < states.length; i++) commit(rows, states[i], costAt(cost, i), allowed)
  return { allowed, states }
}

function lookAtAll(rows: Rows, { policies, keys, lease }: StoreRequest, cost: Cost): Loaded[] {
  return policies.map((policy, i) => look(rows, i, policy, keys[i], lease, costAt(cost, i)))
}

/** Reads a state as it is now, and whether it allows the cost. */
function look(
  rows: Rows,
  index: number,
  policy: LimiterPolicy,
  key: string,
  lease: Lease,
  cost: number,
): Loaded {
  const { params } = policy
  const kept = rows.get(index, key, 'count')
  const row = kept ?? zeros(policy)
  let records: unknown
  let steps: BoundSteps = policy.steps
  const kind = policy.steps.records
  if (kind !== undefined) {
    records = (kept && rows.recordsOf(index, key)) ?? kind.create(params)
    steps = kind.bind(records, lease)
  }
  const now = rows.timeOf(index)
  const fits = steps.look(row, params, now, cost)
  const state: Loaded = {
    index,
    policy,
    key,
    row,
    now,
    override: undefined,
    fits,
    records,
    steps,
  }
  const override = rows.get(index, key, 'override')
  if (override !== undefined) lookAtOverride(state, override)
  return state
}

/** An exemption allows any cost, a block none. */
function lookAtOverride(state: Loaded, override: Row): void {
  state.override = override
  if (isExempt(state)) state.fits = true
  else if (blockedMs(state) > 0) state.fits = false
}

/** The row of a key of which nothing is kept. Literals take a fraction of the time of a loop. */
function zeros({ width, extras }: LimiterPolicy): Row {
  const cells = width + extras
  if (cells === 2) return [0, 0]
  if (cells === 3) return [0, 0, 0]
  if (cells === 7) return [0, 0, 0, 0, 0, 0, 0]
  return Array.from({ length: cells }, () => 0)
}

/** Takes the cost of an allowed consumption. */
function commit(rows: Rows, state: Loaded, cost: number, allowed: boolean): void {
  const { policy, row, now, steps, override } = state
  if (policy.block !== undefined || policy.keepsFirstRow || override !== undefined) {
    commitUnusual(rows, state, cost, allowed)
  } else if (allowed && cost > 0) {
    steps.take(row, policy.params, now, cost)
    save(rows, state)
  }
}

/** Of a policy with a block or a first row, or of a key with an override: a denial can start a block, and keeps the first row of a bucket that begins partly full. */
function commitUnusual(rows: Rows, state: Loaded, cost: number, allowed: boolean): void {
  // Of an exemption nothing is counted.
  if (isExempt(state)) return
  const { policy, row, now, steps } = state
  const { params, block, keepsFirstRow } = policy
  if (allowed && cost > 0) {
    steps.take(row, params, now, cost)
    save(rows, state)
    if (block?.on === 'reached' && !steps.look(row, params, now, 1)) startBlock(rows, state, block)
  } else if (!allowed && block?.on === 'exceeded' && deniesItself(state, cost)) {
    startBlock(rows, state, block)
    // A bucket must not end during a block.
    if (keepsFirstRow) save(rows, state)
  } else if (keepsFirstRow && !rows.isKept(state.index, state.key)) save(rows, state)
}

function save(rows: Rows, { index, policy, key, row, now, records }: Loaded): void {
  const { steps, params, quota } = policy
  const isSpent = steps.used(row, params, now) >= quota
  rows.put(index, key, 'count', row, steps.ends(row, params) - now, isSpent, records)
}

/** Whether the policy itself denies the cost, and not only another one or a block. */
function deniesItself(state: Loaded, cost: number): boolean {
  const { policy, row, now } = state
  return blockedMs(state) === 0 && policy.steps.read(row, policy.params, now, cost, false).wait > 0
}

/** A request that changes each state for itself. */
type ChangeRequest = Exclude<StoreRequest, DecisionRequest | ResetRequest>

/** Runs a request of any other verb. Returns false if a reset met a block, or no lease was held. */
function change(
  rows: Rows,
  request: ChangeRequest | ResetRequest,
  states: readonly Loaded[],
): boolean {
  if (request.verb !== 'reset') {
    return states.map((state) => changeOne(rows, request, state)).includes(true)
  }
  if (!request.unblock && states.some((state) => blockedMs(state) > 0)) return false
  for (const state of states) reset(rows, state)
  return true
}

function changeOne(rows: Rows, request: ChangeRequest, state: Loaded): boolean {
  const { index, policy, row, now, steps } = state
  const { params } = policy
  const before = [...row]
  switch (request.verb) {
    case 'block':
      putOverride(rows, state, blockUntil(now + request.forMs, 0))
      return true
    case 'exempt':
      putOverride(rows, state, exemptUntil(now + request.forMs))
      return true
    case 'unblock':
    case 'unexempt':
      endOverride(rows, state, request.verb === 'unexempt')
      return true
    case 'release':
      if (steps.release?.(row, params, now) !== true) return false
      break
    case 'renew':
      if (steps.renew?.(row, params, now) !== true) return false
      break
    case 'penalize':
      steps.take(row, params, now, request.units)
      break
    case 'refundUnits':
      steps.refund(row, params, now, request.units)
      break
    case 'refundReceipt': {
      const receipt = request.receipts[index]
      // A lease can have been renewed since.
      if (steps.release === undefined && now >= policy.steps.ends(receipt.row, params)) return true
      steps.refund(row, params, now, costAt(request.cost, index), receipt.row, receipt.now)
      if (differ(row, before) && isUndone(state, receipt)) endOverride(rows, state, false)
      break
    }
  }
  // An unchanged row is not written, because that could extend the lifetime of a bucket. Records can change although the row does not.
  if (policy.steps.records !== undefined || differ(row, before)) save(rows, state)
  return true
}

/** Forgets what a key has used, and its block. An exemption stays. */
function reset(rows: Rows, state: Loaded): void {
  const { index, policy, row, now, steps } = state
  rows.delete(index, state.key, 'count')
  // A token, and a bucket that is full, are kept.
  steps.refund(row, policy.params, now, Infinity)
  save(rows, state)
  endOverride(rows, state, false)
}

function differ(row: Row, other: Row): boolean {
  return row.some((cell, i) => cell !== other[i])
}

/** Starts a block by the limit. It is longer if the last one ended recently. */
function startBlock(rows: Rows, state: Loaded, { for: first, escalate, max }: Block): void {
  const { now, override } = state
  const last = override !== undefined && now < overrideEnds(override) ? blockLength(override) : 0
  const length = last > 0 ? Math.min(max, Math.floor(last * escalate)) : first
  putOverride(rows, state, blockUntil(now + length, length))
}

function putOverride(rows: Rows, state: Loaded, row: Row): void {
  state.override = row
  rows.put(state.index, state.key, 'override', row, overrideEnds(row) - state.now, true, undefined)
}

/** Ends the exemption of the key, or else its block. The other one stays. */
function endOverride(rows: Rows, state: Loaded, ofExemption: boolean): void {
  const { override } = state
  if (override === undefined || isExemption(override) !== ofExemption) return
  state.override = undefined
  rows.delete(state.index, state.key, 'override')
}

/** Whether the refund of a consumption also ends the block: without the consumption, the limit would not have been reached. */
function isUndone(state: Loaded, receipt: State): boolean {
  const { policy, override } = state
  const isByLimit = policy.block?.on === 'reached' && blockLength(override) > 0
  return isByLimit && blockedMs(state) > 0 && blockStart(override) >= receipt.now
}
