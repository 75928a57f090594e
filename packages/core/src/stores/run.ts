import type { Block } from '../policy.js'
import { change } from './change.js'
import { look, putOverride, save, type Loaded, type Rows } from './rows.js'
import { blockedMs, blockUntil, isExempt, isGranted, lastBlockMs, paidBy } from './override.js'
import {
  costAt,
  isDecision,
  type DecisionRequest,
  type StoreRequest,
  type StoreResult,
} from './store.js'

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

/** Starts a block by the limit. It is longer if the last one ended recently. */
function startBlock(rows: Rows, request: StoreRequest, state: Loaded, block: Block): void {
  const { now, override } = state
  const { for: first, escalate, max } = block
  const last = lastBlockMs(state)
  const length = last > 0 ? Math.min(max, Math.floor(last * escalate)) : first
  putOverride(rows, request, state, blockUntil(override, now + length, length))
}
