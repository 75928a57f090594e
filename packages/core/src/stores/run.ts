import type { BoundSteps, Row } from '../algorithms/algorithm.js'
import type { Block } from '../policy.js'
import {
  blockedMs,
  blockStart,
  blockUntil,
  cellsAtStart,
  exemptUntil,
  grantUntil,
  isExempt,
  isGranted,
  lastBlockMs,
  overrideAllows,
  overrideEnds,
  overrideOf,
  overrideWithout,
  paidBy,
  paidUnits,
  repaid,
} from './override.js'
import {
  costAt,
  isDecision,
  type DecisionRequest,
  type EndOverrideRequest,
  type GrantRequest,
  type LimiterPolicy,
  type OverrideRequest,
  type RefundReceiptRequest,
  type ResetRequest,
  type State,
  type StoreRequest,
  type StoreResult,
} from './store.js'

/** The two parts that a store keeps for a policy's key: the count of its algorithm, and the block or the exemption that all policies of its name have. */
export type Part = 'count' | 'override'

/** The rows of the keys of one request: of each, the index of its policy in the request, and the key. */
export interface Rows {
  /** The time by which a policy is decided. */
  timeOf(index: number): number
  /** A copy of a row: the cells that are kept, and a zero for each cell that only a receipt has. */
  get(index: number, key: string, part: Part): Row | undefined
  /** The log or the leases of a row that `get` has returned, of an algorithm that has such records. */
  recordsOf(index: number, key: string): unknown
  /** Whether there is a count that has not ended. An ended count is read until it is removed, so that it still counts if the clock steps back. */
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
  /** The index of its policy in the request. */
  readonly index: number
  override: Row | undefined
  /** Whether the policy allows the cost of the request. */
  readonly fits: boolean
  /** Whether it allows it by its count, and not only by its grant. */
  readonly isCounted: boolean
  readonly records: unknown
  /** The steps of its algorithm, bound to these records if it has any. */
  readonly steps: BoundSteps
}

/** Runs a request on the states of its keys, all or nothing: it looks at all of them before it changes one. */
export function run(rows: Rows, request: StoreRequest): StoreResult {
  if (!isDecision(request)) return change(rows, request)
  if (request.policies.length !== 1) return decideAll(rows, request)
  // Most requests have one policy, and need no loops.
  const state = look(rows, request, 0, costAt(request.cost, 0))
  if (request.verb === 'consume') commit(rows, request, state, state.fits)
  return { allowed: state.fits, states: [state] }
}

function decideAll(rows: Rows, request: DecisionRequest): StoreResult {
  const { policies, verb, cost } = request
  const states = policies.map((_, i) => look(rows, request, i, costAt(cost, i)))
  const allowed = states.every(({ fits }) => fits)
  if (verb === 'consume') for (const state of states) commit(rows, request, state, allowed)
  return { allowed, states }
}

/** Reads a state as it is now, and whether it allows the cost: an exemption allows any, a block none, and a grant one that the count does not. */
function look(rows: Rows, request: StoreRequest, index: number, cost: number): Loaded {
  const policy = request.policies[index]
  const key = request.keys[index]
  const kept = rows.get(index, key, 'count')
  const row = kept ?? zeros(policy)
  const now = rows.timeOf(index)
  let steps: BoundSteps = policy.steps
  let records: unknown
  const kind = policy.steps.records
  if (kind !== undefined) {
    records = (kept && rows.recordsOf(index, key)) ?? kind.create(policy.params)
    steps = kind.bind(records, request.lease)
  }
  let override = rows.get(index, key, 'override')
  const isCounted = steps.look(row, policy.params, now, cost)
  let fits = isCounted
  if (override !== undefined) {
    override = cellsAtStart(override)
    const at = { override, now }
    fits = overrideAllows(at, cost) || (isCounted && blockedMs(at) === 0)
  }
  return { row, now, override, index, fits, isCounted, records, steps }
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
function commit(rows: Rows, request: DecisionRequest, state: Loaded, allowed: boolean): void {
  const { block, keepsFirstRow, params } = request.policies[state.index]
  if (block !== undefined || keepsFirstRow || state.override !== undefined) {
    commitUnusual(rows, request, state, allowed)
  } else if (allowed) {
    const cost = costAt(request.cost, state.index)
    if (cost === 0) return
    state.steps.take(state.row, params, state.now, cost)
    save(rows, request, state)
  }
}

/** Commits for a policy with a block or a first row, or for a key with an override: a denial can start a block, and keeps the first row of a bucket that begins partly full. */
function commitUnusual(
  rows: Rows,
  request: DecisionRequest,
  state: Loaded,
  allowed: boolean,
): void {
  // An exempt key counts nothing.
  if (isExempt(state)) return
  const { index, row, now, steps, override, isCounted } = state
  const { params, block, keepsFirstRow } = request.policies[index]
  const cost = costAt(request.cost, index)
  if (allowed && cost > 0) {
    if (isCounted || override === undefined) {
      steps.take(row, params, now, cost)
      save(rows, request, state)
    } else {
      putOverride(rows, request, state, paidBy(override, cost))
      keepFirst(rows, request, state)
    }
    if (block?.on === 'reached' && !steps.look(row, params, now, 1) && !isGranted(state, 1)) {
      startBlock(rows, request, state, block)
    }
  } else if (!allowed && block?.on === 'exceeded' && !state.fits && blockedMs(state) === 0) {
    startBlock(rows, request, state, block)
    // A bucket must not end during a block.
    if (keepsFirstRow) save(rows, request, state)
  } else keepFirst(rows, request, state)
}

/** Keeps the row of a new bucket that begins partly full, although nothing is taken from it. */
function keepFirst(rows: Rows, request: StoreRequest, state: Loaded): void {
  const { keepsFirstRow } = request.policies[state.index]
  if (keepsFirstRow && !rows.isKept(state.index, request.keys[state.index])) {
    save(rows, request, state)
  }
}

function save(rows: Rows, { policies, keys }: StoreRequest, state: Loaded): void {
  const { index, row, now } = state
  const { steps, params, quota } = policies[index]
  const lifeMs = steps.ends(row, params) - now
  const isSpent = steps.used(row, params, now) >= quota
  rows.put(index, keys[index], 'count', row, lifeMs, isSpent, state.records)
}

/** A request that changes each state for itself. */
type ChangeRequest = Exclude<StoreRequest, DecisionRequest | ResetRequest>

/** Runs a request of any other verb. It is not allowed if a reset met a block, or no lease was held. */
function change(rows: Rows, request: ChangeRequest | ResetRequest): StoreResult {
  const states = request.policies.map((_, i) => look(rows, request, i, 0))
  if (request.verb !== 'reset') {
    const changed = states.map((state) => changeOne(rows, request, state))
    return { allowed: changed.includes(true), states }
  }
  const isBlocked = states.some((state) => blockedMs(state) > 0)
  if (isBlocked && !request.unblock) return { allowed: false, states }
  for (const state of states) reset(rows, request, state)
  return { allowed: true, states }
}

function changeOne(rows: Rows, request: ChangeRequest, state: Loaded): boolean {
  const { index, row, now, steps } = state
  const policy = request.policies[index]
  const { params } = policy
  const before = [...row]
  switch (request.verb) {
    case 'release':
    case 'renew':
      if (steps[request.verb]?.(row, params, now) !== true) return false
      break
    case 'penalize':
      steps.take(row, params, now, request.units)
      break
    case 'refundUnits':
      steps.refund(row, params, now, request.units)
      break
    case 'refundReceipt': {
      const { adjusted } = request
      const receipt = request.receipts[index]
      const isPart = adjusted !== undefined
      const units = costAt(request.cost, index) - (isPart ? costAt(adjusted, index) : 0)
      if (paidUnits(receipt.override) > 0) return repay(rows, request, state, receipt, units)
      // A lease can have been renewed since.
      if (steps.release === undefined && now >= policy.steps.ends(receipt.row, params))
        return !isPart
      if (units < 0) steps.take(row, params, now, -units)
      else steps.refund(row, params, now, units, { row: receipt.row, now: receipt.now, isPart })
      const isUndone = units > 0 && differ(row, before) && startedBlock(receipt, policy, state)
      if (isUndone) putOverride(rows, request, state, overrideWithout(state.override, 'block'))
      break
    }
    default:
      putOverride(rows, request, state, overrideBy(request, state))
      return true
  }
  // Repeated penalties end at the largest number that a cell can have.
  for (let i = 0; i < row.length; i++) row[i] = Math.min(row[i], Number.MAX_SAFE_INTEGER)
  // An unchanged row is not written, because that could extend the lifetime of a bucket. Records can change although the row does not.
  if (policy.steps.records !== undefined || differ(row, before)) save(rows, request, state)
  return true
}

/** The override after a verb that changes nothing else. */
function overrideBy(
  request: OverrideRequest | GrantRequest | EndOverrideRequest,
  { override, now }: State,
): Row {
  switch (request.verb) {
    case 'block':
      return blockUntil(override, now + request.forMs, 0)
    case 'exempt':
      return exemptUntil(override, now + request.forMs)
    case 'grant':
      return grantUntil(override, now + request.forMs, request.units)
    case 'unblock':
      return overrideWithout(override, 'block')
    case 'unexempt':
      return overrideWithout(override, 'exemption')
    case 'ungrant':
      return overrideWithout(override, 'grant')
  }
}

/** Returns units of a consumption to the grant that paid them, or takes more, if it still is the key's. */
function repay(
  rows: Rows,
  request: RefundReceiptRequest,
  state: Loaded,
  receipt: State,
  units: number,
): boolean {
  const row = receipt.override && repaid(state, receipt.override, units)
  if (row === undefined) return request.adjusted === undefined
  const isUndone = units > 0 && startedBlock(receipt, request.policies[state.index], state)
  putOverride(rows, request, state, isUndone ? overrideWithout(row, 'block') : row)
  return true
}

/** Forgets what a key has used, and its block. An exemption and a grant stay. */
function reset(rows: Rows, request: ResetRequest, state: Loaded): void {
  const { index, row, now, steps } = state
  rows.delete(index, request.keys[index], 'count')
  // A token, and a bucket that is full, are kept.
  steps.refund(row, request.policies[index].params, now, Infinity)
  save(rows, request, state)
  if (state.override === undefined) return
  putOverride(rows, request, state, overrideWithout(state.override, 'block'))
}

function differ(row: Row, other: Row): boolean {
  return row.some((cell, i) => cell !== other[i])
}

/** Starts a block by the limit. It is longer if the last one ended recently. */
function startBlock(rows: Rows, request: StoreRequest, state: Loaded, block: Block): void {
  const { now, override } = state
  const { for: first, escalate, max } = block
  const last = lastBlockMs(state)
  const length = last > 0 ? Math.min(max, Math.floor(last * escalate)) : first
  putOverride(rows, request, state, blockUntil(override, now + length, length))
}

function putOverride(rows: Rows, { keys }: StoreRequest, state: Loaded, row: Row): void {
  const { index, now } = state
  state.override = overrideOf(row)
  rows.put(index, keys[index], 'override', row, overrideEnds(row) - now, true, undefined)
}

/** Whether a consumption reached the limit and so started the block of the key. Its refund ends the block as well. */
function startedBlock(receipt: State, { block }: LimiterPolicy, state: State): boolean {
  const isByLimit = block?.on === 'reached' && lastBlockMs(state) > 0
  return isByLimit && blockedMs(state) > 0 && blockStart(state.override) >= receipt.now
}
