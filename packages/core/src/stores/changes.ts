import type { Row } from '../algorithms/algorithm.js'
import { stateOf, type Call } from './compiled-policies.js'
import { LENGTH, UNTIL, exemptionUntil, isForgotten, type Cursor } from './cursor.js'
import {
  costAt,
  isDecision,
  peekOf,
  type Cost,
  type DecisionRequest,
  type ResetRequest,
  type State,
  type StoreRequest,
  type StoreResult,
} from './store.js'

/** A request that changes the state of each policy for itself, whatever its limit is. */
type ChangeRequest = Exclude<StoreRequest, DecisionRequest | ResetRequest>

/**
 * Runs a request of any verb on the cursors of its policies.
 *
 * @param decide looks at the rows of all cursors, and takes the cost of a consumption if all of them allow it
 */
export function runOn(
  cursors: readonly Cursor[],
  request: StoreRequest,
  decide: (call: Call, cost: Cost) => boolean,
): StoreResult {
  let allowed: boolean
  if (isDecision(request)) allowed = decide(request, request.cost)
  else {
    // All other verbs begin with the states as a peek reads them.
    decide(peekOf(request, 0), 0)
    allowed = changeAll(cursors, request)
  }
  for (const cursor of cursors) cursor.noteSideState()
  return { allowed, states: cursors.map(stateOf) }
}

/** Runs a request that does not decide, on cursors that have looked at their rows. Returns whether it was allowed. */
function changeAll(cursors: readonly Cursor[], request: ChangeRequest | ResetRequest): boolean {
  if (request.verb !== 'reset') {
    return cursors.map((cursor, i) => change(cursor, request, i)).includes(true)
  }
  const isBlocked = cursors.some(({ blockedUntil, now }) => blockedUntil > now)
  if (isBlocked && !request.unblock) return false
  for (const cursor of cursors) reset(cursor)
  return true
}

/** Runs a change on the state of a cursor that has looked at it. Returns false if a lease was not held. */
function change(cursor: Cursor, request: ChangeRequest, index: number): boolean {
  const { row, now, params, steps, policy } = cursor
  if (policy.steps.countsNothing) return true
  const before = [...row]
  switch (request.verb) {
    case 'block':
      cursor.setOverride([now + request.forMs, 0])
      return true
    case 'exempt':
      cursor.setOverride(exemptionUntil(now + request.forMs))
      return true
    case 'unblock':
    case 'unexempt':
      cursor.endOverride(request.verb === 'unexempt')
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
      steps.refundUnits(row, params, now, request.units)
      break
    case 'refundReceipt': {
      const receipt = request.receipts[index]
      if (isForgotten(cursor.side.reset, receipt) || isOver(cursor, receipt)) return true
      const cost = costAt(request.cost, index)
      steps.refundReceipt(row, params, now, cost, receipt.row, receipt.now)
      if (differ(row, before) && isUndone(cursor, receipt)) cursor.endOverride(false)
      break
    }
  }
  // An unchanged row is not written, because that could extend the lifetime of a bucket. Records can change although the row does not.
  if (policy.steps.hasRecords === true || differ(row, before)) cursor.save()
  return true
}

/**
 * Whether the units of a receipt count no more. Its policy can have a shorter window than that of the row, so it must not drop units from there. A lease can have
 * been renewed since its receipt.
 */
function isOver({ policy, params, steps, now }: Cursor, { row }: State): boolean {
  return steps.release === undefined && now >= policy.steps.ends(row, params)
}

/** Whether the refund of a consumption also ends the block: without the consumption, the limit would not have been reached. */
function isUndone(cursor: Cursor, receipt: State): boolean {
  const { [UNTIL]: until, [LENGTH]: length } = cursor.side.override
  const isByLimit = cursor.policy.block?.on === 'reached' && length > 0
  return isByLimit && until > cursor.now && until - length >= receipt.now
}

/** Forgets what the key has used, in all forms, and its block. An exemption stays. */
function reset(cursor: Cursor): void {
  const { row, now, params, steps, policy, side } = cursor
  if (policy.steps.countsNothing) return
  // Leases need no record of the reset: a receipt names its lease, and the reset ends that lease. Neither does a key without a row, although a bucket
  // may begin partly full.
  const isRecorded = steps.release === undefined && cursor.isKept()
  side.saveReset(now, isRecorded ? policy.steps.ends(row, params) : now)
  side.removeRows()
  if (steps.forget !== undefined) {
    steps.forget(row, params, now)
    cursor.save()
  }
  cursor.endOverride(false)
}

function differ(row: Row, other: Row): boolean {
  return row.some((cell, i) => cell !== other[i])
}
