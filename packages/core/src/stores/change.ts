import type { Row } from '../algorithms/algorithm.js'
import { look, putOverride, save, type Loaded, type Rows } from './rows.js'
import {
  blockedMs,
  blockStart,
  blockUntil,
  exemptUntil,
  grantUntil,
  lastBlockMs,
  overrideWithout,
  paidUnits,
  repaid,
} from './override.js'
import {
  costAt,
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

/** A request that changes each state for itself. */
type ChangeRequest = Exclude<StoreRequest, DecisionRequest | ResetRequest>

/** Runs a request of any other verb. It is not allowed if a reset met a block, or no lease was held. */
export function change(rows: Rows, request: ChangeRequest | ResetRequest): StoreResult {
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

/** Whether a consumption reached the limit and so started the block of the key. Its refund ends the block as well. */
function startedBlock(receipt: State, { block }: LimiterPolicy, state: State): boolean {
  const isByLimit = block?.on === 'reached' && lastBlockMs(state) > 0
  return isByLimit && blockedMs(state) > 0 && blockStart(state.override) >= receipt.now
}
